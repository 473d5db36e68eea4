#include "engine/run/function_impl.h"

#include <algorithm>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/shared_guard.h"
#include "engine/ops/transfer.h"
#include "engine/plan/concrete.h"
#include "engine/run/start_up.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

int level_of(const std::string& optimizer) {
  if (optimizer == "None" || optimizer == "none") return 0;
  if (optimizer == "fast_compile") return 1;
  if (optimizer.size() == 2 && optimizer[0] == 'o') return optimizer[1] - '0';
  return 4;
}

Side side_of(const Apply& node) {
  if (node.op().is_transfer()) return Side::transfer;
  return node.outputs() > 0 && !node.type(0).place().on_host() ? Side::gpu : Side::cpu;
}

NodeRecord record_of(const Apply& node, const Graph& graph) {
  NodeRecord record;
  record.name = print_name(node);
  record.op = std::string(node.op().name);
  record.op_class = class_name(node);
  record.label = node.name(0);
  record.side = side_of(node);
  record.origin = node.origin();
  for (const Variable& v : node.inputs()) {
    record.inputs.push_back(
        {graph.position(&v.node()), v.index(), operand_text(v), to_text(v.type())});
  }
  for (const Type& t : node.types())
    record.output_types.push_back(to_text(t));
  if (node.op().is_transfer()) record.reason = node.attrs().as<TransferAttrs>().reason;
  return record;
}

/// Locks the guards of several boxes in one order, whatever the order of the list.
class SharedLocks {
 public:
  explicit SharedLocks(const Vars& shared) {
    std::vector<std::mutex*> order;
    for (const Variable& v : shared)
      order.push_back(&shared_box(v).guard().mutex);
    std::sort(order.begin(), order.end());
    locks_.reserve(order.size());
    for (std::mutex* m : order)
      locks_.emplace_back(*m);
  }

 private:
  std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace

std::string operand_text(const Variable& v) {
  if (!v.name().empty()) return v.name();
  if (v.owner()) return print_name(v.node()) + "." + std::to_string(v.index());
  if (const Array* value = constant_value(v)) {
    return value->elements() == 1 ? "TensorConstant{" + to_text(value->reshape({})) + "}"
                                  : "TensorConstant{" + to_text(value->dims()) + "}";
  }
  return "<" + to_text(v.type()) + ">";
}

FunctionImpl::FunctionImpl(Graph graph, const FunctionOptions& options, Origin at)
    : name_(options.name), origin_(at), graph_(std::move(graph)), place_(default_place()) {
  if (name_.empty()) {
    const std::string file = at.file;
    name_ = file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(at.line);
  }
  const std::int64_t begin = now();
  watch(options);
  optimize(options);
  if (observer_) record_function(static_cast<double>(now() - begin) * 1e-9);
}

void FunctionImpl::optimize(const FunctionOptions& options) {
  const std::string optimizer =
      options.optimizer.empty() ? std::string(config().optimizer()) : options.optimizer;
  const int level = level_of(optimizer);
  const PassContext context{place_, &log_, observer_};
  for (const Pass& pass : pipeline()) {
    if (pass.level <= level) graph_ = run_pass(pass, graph_, context);
  }
}

void FunctionImpl::watch(const FunctionOptions& options) {
  observer_ = options.observer;
  if (observer_ || !(options.profile || config().profile())) return;
  const ObserverFactory make = observer_factory();
  if (!make) {
    throw Error(
        Error::Kind::config,
        "profiling was asked for, and this program is linked without the profiler",
        "link hypatia::suite, which holds the engine and the profiler");
  }
  own_observer_ = make(ProfileRequest{});
  observer_ = own_observer_.get();
}

void FunctionImpl::record_function(double rewrite_seconds) {
  FunctionRecord record;
  record.name = name_;
  record.origin = origin_;
  record.device = device_at(place_).info().name;
  record.rewrite_seconds = rewrite_seconds;
  for (const Apply* node : graph_.order())
    record.nodes.push_back(record_of(*node, graph_));
  function_id_ = observer_->add_function(record);
}

Array FunctionImpl::checked_input(const Array& value, std::size_t i) const {
  const Variable& v = graph_.inputs()[i];
  const auto complain = [&](Error error) -> Error {
    return error.with(describe(v, v.type(), "input " + std::to_string(i)))
        .note("in the call of '" + name_ + "'");
  };
  Array array = value;
  if (array.dtype() != v.dtype()) {
    const bool number = array.rank() == 0 && is_float(v.dtype());
    if (!number && promote(array.dtype(), v.dtype()) != v.dtype()) {
      throw complain(Error(
          Error::Kind::dtype,
          "a value of dtype " + std::string(hypatia::name(array.dtype())) +
              " does not fit an input of " + std::string(hypatia::name(v.dtype())) +
              " without losing precision",
          "convert it with astype, or declare the input with that dtype"));
    }
    array = array.astype(v.dtype());
  }
  try {
    static_cast<void>(v.type().with_dims(array.dims()));
  } catch (const Error& error) {
    throw complain(error);
  }
  array = array.on_host() ? array : asarray(array);
  array.sync();
  return array.contiguous() ? array : array.copy();
}

std::vector<Array> FunctionImpl::checked(std::span<const Array> values) const {
  const Vars& inputs = graph_.inputs();
  if (values.size() != inputs.size()) {
    const bool few = values.size() < inputs.size();
    throw Error(
        Error::Kind::value,
        (few ? "missing required input: " + inputs[values.size()].name()
             : std::string("too many arguments")) +
            "; '" + name_ + "' takes " + std::to_string(inputs.size()) + " and " +
            std::to_string(values.size()) + " came");
  }
  std::vector<Array> arrays;
  arrays.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    arrays.push_back(checked_input(values[i], i));
  return arrays;
}

Specialised& FunctionImpl::specialised(
    std::span<const Array> inputs, std::span<const Array> shared) {
  std::vector<std::int64_t> key;
  for (const auto& list : {inputs, shared}) {
    for (const Array& a : list)
      key.insert(key.end(), a.dims().begin(), a.dims().end());
  }
  if (last_ && key == last_key_) return *last_;
  auto found = specialised_.find(key);
  if (found == specialised_.end()) {
    std::unordered_map<Variable, Type, VariableHash> types;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Variable& v = graph_.inputs()[i];
      types.emplace(v, v.type().with_dims(inputs[i].dims()));
    }
    for (std::size_t i = 0; i < shared.size(); ++i) {
      const Variable& v = graph_.shared()[i];
      types.emplace(v, v.type().with_dims(shared[i].dims()));
    }
    const Concrete concrete(graph_, types);
    PlanOptions options;
    options.merge_kernels = !(observer_ && observer_->wants_split());
    const FunctionContext context{
        graph_,
        name_,
        place_,
        observer_,
        function_id_,
        config().mode() == "FAST_COMPILE",
    };
    auto made = std::make_unique<Specialised>(context, make_plan(graph_, concrete, options));
    found = specialised_.emplace(key, std::move(made)).first;
  }
  last_ = found->second.get();
  last_key_ = std::move(key);
  return *last_;
}

std::vector<Array> FunctionImpl::run(std::span<const Array> inputs, std::uint32_t call) {
  const Vars& variables = graph_.shared();
  const SharedLocks locks(variables);
  std::vector<Array> shared;
  shared.reserve(variables.size());
  for (const Variable& v : variables)
    shared.push_back(shared_box(v).value);
  std::vector<Array> updates;
  std::vector<Array> results = specialised(inputs, shared).run(inputs, shared, &updates, call);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    shared_box(graph_.updates()[i].target).value = updates[i];
  }
  return results;
}

Results FunctionImpl::call(std::span<const Array> values) {
  const std::lock_guard lock(mutex_);
  if (!observer_) return Results(run(checked(values), 0));
  const std::int64_t begin = now();
  const std::uint32_t call = observer_->begin_call(function_id_);
  Results results(run(checked(values), call));
  observer_->end_call(function_id_, call, begin);
  return results;
}

std::string FunctionImpl::source() {
  const std::lock_guard lock(mutex_);
  return last_ ? last_->source() : "";
}

}  // namespace hypatia
