#include "engine/run/function_impl.h"

#include <algorithm>
#include <cstdio>

#include "engine/core/config.h"
#include "engine/core/contexts.h"
#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/shared_guard.h"
#include "engine/grad/grad.h"
#include "engine/graph/concrete.h"
#include "engine/graph/print.h"
#include "engine/ops/composite.h"
#include "engine/rewrite/reasons.h"
#include "engine/rewrite/selection.h"
#include "engine/rewrite/story.h"
#include "engine/run/cpu_nodes.h"
#include "engine/run/lazy.h"
#include "engine/run/observed_step.h"
#include "engine/run/shared_locks.h"
#include "engine/run/start_up.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

Side side_of(const Apply& node) {
  if (node.op().is_transfer()) return Side::transfer;
  return node.outputs() > 0 && !node.type(0).place().on_host() ? Side::gpu : Side::cpu;
}

// What a fused node does for each element, operation by operation.
std::vector<BodyOpRecord> body_record(const ScalarProgram& program) {
  std::vector<BodyOpRecord> body;
  for (const ScalarStep& step : program.steps)
    body.push_back({std::string(step.op->name), step.in, -1, step.op->scalar().flops});
  const auto inputs = program.inputs.size();
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const auto value = static_cast<std::size_t>(program.outputs[i]);
    if (value >= inputs) body[value - inputs].output = static_cast<std::int32_t>(i);
  }
  return body;
}

/// The reason of a copy in names the node that reads it, by the name that it has in the end.
std::string reason_of_copy(const Apply& node, const Graph& graph) {
  constexpr std::string_view before_name = " input of ";
  std::string reason = transfer_reason(node);
  const std::size_t end = reason.find(before_name);
  if (end == std::string::npos) return reason;
  for (const Apply* reader : graph.order()) {
    for (const Variable& v : reader->inputs()) {
      if (&v.node() == &node)
        return reason.substr(0, end + before_name.size()) + print_name(*reader);
    }
  }
  return reason;
}

NodeRecord record_of(const Apply& node, const Graph& graph, Place place) {
  NodeRecord record;
  if (!place.on_host()) {
    record.reason = node.op().is_transfer() ? reason_of_copy(node, graph) : cpu_reason(node);
  }
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
  if (node.op().is_composite()) record.body = body_record(program_of(node));
  return record;
}

/// A node of a loop's body is written for the host, and runs where the loop does; sizes stay.
Ref<const Apply> as_it_runs(const Apply& node, const Apply& loop) {
  const Place place = loop.type(0).place();
  if (place.on_host() || std::holds_alternative<ShapeLowering>(node.op().lowering)) {
    return Ref<const Apply>(&node);
  }
  Types types = node.types();
  for (Type& t : types)
    t = t.with_place(place);
  return Apply::make_typed(node.op(), node.inputs(), node.attrs(), types, node.origin());
}

/// Whether a GPU's library is likely to be the faster one, as measured on an H100 in float32
/// (bench/results/h100_convolutions.json). Its kernels are products in tiles: with few filters (or
/// channels, for the images' gradient) most of a tile is idle. Among its ways to the filters'
/// gradient, those that add in one order are slow until there is much to add. No other work is
/// joined to an op's kernel, so that none is lost.
bool worth_a_library(const Convolution& c, double multiplications) {
  using Makes = Convolution::Makes;
  constexpr double enough = 20e6, enough_for_filters = 2e9;
  constexpr std::int64_t full_tile = 32;
  if (c.makes == Makes::filters) return multiplications >= enough_for_filters;
  const std::int64_t made = c.filters[c.makes == Makes::results ? 0 : 1];
  return made >= full_tile && multiplications >= enough;
}

/// The libraries of GPUs, as far as dnn.enabled lets them.
void offer_libraries(PlanOptions* options) {
  const std::string_view enabled = config().choice("dnn.enabled");
  if (enabled == "False") return;
  options->convolution = [](const Convolution& wanted, Place place) {
    return device_at(place).convolution(wanted);
  };
  options->library_required = enabled == "True";
  if (!options->library_required) options->worth_a_library = worth_a_library;
}

}  // namespace

FunctionImpl::FunctionImpl(Program program, const FunctionOptions& options, Origin at)
    : name_(options.name),
      origin_(at),
      asked_(options.mode),
      mode_(run_mode_of(options)),
      source_{program.graph.outputs(), program.graph.updates()},
      graph_(with_lazy_branches(program.graph, options.name)),
      output_names_(std::move(program.output_names)),
      state_(std::move(program.state)),
      visible_outputs_(graph_.outputs().size() - state_.size()),
      place_(default_place()) {
  if (!options.optimizer.empty()) asked_.optimizer = options.optimizer;
  for (In& in : program.inputs) {
    in_.push_back(std::move(in.options));
    // The function's own wish holds for inputs that have none.
    if (in_.back().allow_downcast == Downcast::numbers) {
      in_.back().allow_downcast = options.allow_input_downcast;
    }
  }
  if (name_.empty()) {
    const std::string file = at.file;
    name_ = file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(at.line);
  }
  watch(options);
  const std::int64_t begin = now();
  optimize();
  const double rewriting = static_cast<double>(now() - begin) * 1e-9;
  assert_no_cpu_op(graph_, name_);
  for (const Apply* node : graph_.order()) {
    for (const Type& type : node->types())
      open_place(type.place());
  }
  find_shared();
  if (observer_) record_function(rewriting);
}

void FunctionImpl::find_shared() {
  for (const Variable& v : graph_.shared())
    boxes_.push_back(&shared_box(v));
  for (const Update& u : graph_.updates())
    update_boxes_.push_back(&shared_box(u.target));
  for (const SharedBox* box : boxes_) {
    shared_.push_back(&box->value);
    locks_.push_back(&box->guard().mutex);
  }
  // Functions that share boxes lock them in one order, and a box with two leaves once.
  std::sort(locks_.begin(), locks_.end());
  locks_.erase(std::unique(locks_.begin(), locks_.end()), locks_.end());
  if (mode_.checks != RunMode::Checks::nothing) {
    const Graph source(graph_.inputs(), source_.outputs, source_.updates);
    guard_ = guard_of(mode_, graph_, source, name_);
  }
  auto sizes = std::make_unique<DataSizes>(graph_);
  if (!sizes->none()) data_sizes_ = std::move(sizes);
  inputs_.resize(graph_.inputs().size());
  converted_.resize(graph_.inputs().size());
  for (const Variable& v : graph_.inputs())
    input_dtypes_.push_back(v.dtype());
}

void FunctionImpl::optimize() {
  const auto names = [&](const char* flag, const std::vector<std::string>& of_mode) {
    std::vector<std::string> all = rewrite_names(config().get(flag));
    all.insert(all.end(), of_mode.begin(), of_mode.end());
    return all;
  };
  const RewriteSelection selection(
      mode_.optimizer,
      {names("optimizer_including", asked_.included),
       names("optimizer_excluding", asked_.excluded),
       names("optimizer_requiring", asked_.required)});
  merge_kernels_ = selection.merges_kernels();
  const PassContext context{place_, &log_, observer_, &selection};
  for (const Pass& pass : pipeline()) {
    if (selection.runs(pass)) graph_ = run_pass(pass, graph_, context);
  }
  if (config().boolean("optimizer_verbose")) {
    std::fprintf(stderr, "%s", to_text(log_, name_).c_str());
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
  record.grad_seconds = take_seconds_in_grad();
  record.rewrite_seconds = rewrite_seconds;
  for (const BodyNode& n : nodes_with_bodies(graph_)) {
    if (n.parent < 0) {
      record.nodes.push_back(record_of(*n.node, graph_, place_));
    } else {
      const Apply& loop = *graph_.order()[static_cast<std::size_t>(n.parent)];
      record.nodes.push_back(record_of(*as_it_runs(*n.node, loop), body_of(graph_, n), place_));
      record.nodes.back().label = n.node->name(0);
    }
    record.nodes.back().parent = n.parent;
    for (InputRecord& in : record.nodes.back().inputs)
      if (in.node >= 0) in.node += n.first;
  }
  function_id_ = observer_->add_function(record);
  observer_->add_passes(story_of(log_, function_id_));
}

const std::string& FunctionImpl::input_name(std::size_t i) const {
  return in_[i].name.empty() ? graph_.inputs()[i].name() : in_[i].name;
}

Array FunctionImpl::checked_input(const Array& value, std::size_t i) const {
  const Variable& v = graph_.inputs()[i];
  try {
    const Acceptance how{in_[i].allow_downcast, in_[i].strict};
    Array array = accepted(value, v.dtype(), how, "an input");
    static_cast<void>(v.type().with_dims(array.dims()));
    if (!array.on_host()) array = asarray(array);
    array.sync();
    return array.contiguous() ? array : array.copy();
  } catch (Error& error) {
    error.with(describe(v, v.type(), "input " + std::to_string(i)))
        .note("in the call of '" + name_ + "'");
    throw;
  }
}

void FunctionImpl::take_input(const Array& a, std::size_t i) {
  const bool as_before = last_ && a.dtype() == input_dtypes_[i] && a.dims() == last_dims_[i];
  if (as_before && a.on_host() && a.contiguous()) {
    a.sync();
    inputs_[i] = &a;
  } else {
    converted_[i] = checked_input(a, i);
    inputs_[i] = &converted_[i];
    inputs_as_before_ = inputs_as_before_ && last_ && converted_[i].dims() == last_dims_[i];
  }
}

void FunctionImpl::take_inputs(std::span<const Array* const> values) {
  if (values.size() > in_.size()) {
    throw Error(
        Error::Kind::value,
        "too many arguments: '" + name_ + "' takes " + std::to_string(in_.size()) + ", and " +
            std::to_string(values.size()) + " came");
  }
  inputs_as_before_ = true;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const Array* given = i < values.size() ? values[i] : nullptr;
    if (!given && !in_[i].value.given) {
      const std::string& name = input_name(i);
      throw Error(
          Error::Kind::value,
          "missing required input: " + (name.empty() ? "an unnamed variable" : name) + " (number " +
              std::to_string(i) + " of '" + name_ + "')",
          name.empty() ? "give it in order"
                       : "give it in order, or by name with named(\"" + name + "\", value)");
    }
    take_input(given ? *given : in_[i].value.value, i);
  }
}

bool FunctionImpl::sizes_changed() const {
  if (!last_ || !inputs_as_before_ || data_key_ != last_data_key_) return true;
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    if (!(shared_[i]->dims() == last_dims_[inputs_.size() + i])) return true;
  }
  return false;
}

std::unique_ptr<Specialised> FunctionImpl::specialise() const {
  std::unordered_map<Variable, Type, VariableHash> types;
  const auto note = [&](const Vars& variables, const std::vector<const Array*>& values) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      types.emplace(variables[i], variables[i].type().with_dims(values[i]->dims()));
    }
  };
  note(graph_.inputs(), inputs_);
  note(graph_.shared(), shared_);
  const Concrete concrete =
      data_sizes_ ? Concrete(graph_, types, data_sizes_->types(), data_sizes_->values())
                  : Concrete(graph_, types);
  PlanOptions options;
  options.merge_kernels = merge_kernels_ && !guard_ && !(observer_ && observer_->wants_split());
  // A simulated GPU's threads take host time each: its library answers all but small products.
  constexpr double small_product = 16'384;
  if (!place_.on_host() && device_at(place_).info().simulated) {
    options.largest_nest_product = small_product;
  }
  offer_libraries(&options);
  FunctionContext context{graph_, name_, place_, observer_, function_id_};
  context.interpret_only = mode_.interpret;
  context.keep_buffers = mode_.keep_buffers;
  context.guard = guard_.get();
  context.data_sizes = data_sizes_.get();
  // Recordings hold times of compiled code only, and GPUs are waited for as well.
  context.wait_for_compiler = observer_ || guard_ || !place_.on_host() ||
                              !config().boolean("compile.background") ||
                              config().choice("deterministic") == "more";
  return std::make_unique<Specialised>(context, make_plan(graph_, concrete, options));
}

void FunctionImpl::find_data_sizes() {
  if (!data_sizes_) return;
  data_key_.clear();
  data_sizes_->find(inputs_, shared_);
  data_sizes_->add_to(&data_key_);
}

Specialised& FunctionImpl::specialised() {
  if (!sizes_changed()) return *last_;
  std::vector<std::int64_t> key;
  std::vector<Dims> all_dims;
  key = data_key_;
  for (const auto* list : {&inputs_, &shared_}) {
    for (const Array* a : *list) {
      key.insert(key.end(), a->dims().begin(), a->dims().end());
      all_dims.push_back(a->dims());
    }
  }
  std::unique_ptr<Specialised>& found = specialised_[key];
  if (!found) found = specialise();
  last_ = found.get();
  last_dims_ = std::move(all_dims);
  last_data_key_ = data_key_;
  return *last_;
}

Results FunctionImpl::run(std::uint32_t call) {
  const SharedLocks locks(locks_);
  try {
    find_data_sizes();
    Specialised& ready = specialised();
    if (data_sizes_) data_sizes_->shifts(ready.plan(), &shifts_);
    ready.run(inputs_, shared_, shifts_, call);
    return take_results(ready);
  } catch (Error& error) {
    if (error.kind() == Error::Kind::memory) tell_memory(&error);
    throw;
  }
}

void FunctionImpl::tell_memory(Error* error) const {
  std::vector<std::pair<std::size_t, std::string>> held;
  for (const SharedBox* box : boxes_) {
    const std::string name = box->name.empty() ? "a shared variable" : "'" + box->name + "'";
    held.emplace_back(box->value.bytes(), name + " on " + context_name(box->value.place()));
  }
  std::sort(held.rbegin(), held.rend());
  error->note("in the call of '" + name_ + "', which is the one that asked");
  if (last_) {
    const Plan& plan = last_->plan();
    error->note(
        "its temporaries take " + std::to_string(plan.device_arena) + " bytes on the device and " +
        std::to_string(plan.host_arena) + " on the host");
  }
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, held.size()); ++i)
    error->note("it holds " + held[i].second + ": " + std::to_string(held[i].first) + " bytes");
}

void FunctionImpl::take_updates(const Specialised& ready) {
  for (std::size_t i = 0; i < update_boxes_.size(); ++i)
    update_boxes_[i]->value = ready.update(i);
}

Results FunctionImpl::take_results(const Specialised& ready) {
  Results results;
  for (std::size_t i = 0; i < visible_outputs_; ++i)
    results.add(ready.result(i));
  if (!output_names_.empty()) results.name_by(output_names_, this);
  take_updates(ready);
  for (std::size_t k = 0; k < state_.size(); ++k) {
    in_[state_[k]].value.value = ready.result(visible_outputs_ + k);
  }
  return results;
}

// Apart from what runs unobserved, which would pay for its stack.
[[gnu::noinline]] Results FunctionImpl::run_watched(std::span<const Array* const> values) {
  const std::int64_t begin = now();
  const std::uint32_t call = observer_->begin_call(function_id_);
  take_inputs(values);
  Results results = run(call);
  observer_->end_call(function_id_, call, begin);
  return results;
}

Results FunctionImpl::run_call(std::span<const Array* const> values) {
  try {
    if (heard_by(observer_)) return run_watched(values);
    take_inputs(values);
    return run(0);
  } catch (Error& error) {
    if (config().high_verbosity()) error.note(footprint());
    throw;
  }
}

Results FunctionImpl::call(std::span<const Array* const> values) {
  const std::lock_guard lock(mutex_);
  return run_call(values);
}

Results FunctionImpl::call_named(const std::vector<Named>& arguments) {
  const std::lock_guard lock(mutex_);
  std::vector<const Array*> values(in_.size(), nullptr);
  std::size_t next = 0;
  for (const Named& argument : arguments) {
    std::size_t i = next;
    if (argument.name.empty()) {
      if (next++ >= in_.size()) {
        throw Error(Error::Kind::value, "too many arguments for '" + name_ + "'");
      }
    } else {
      i = input_named(argument.name);
    }
    if (values[i]) {
      throw Error(Error::Kind::value, "multiple values for input " + input_name(i));
    }
    values[i] = &argument.value;
  }
  return run_call(values);
}

void FunctionImpl::free() {
  const std::lock_guard lock(mutex_);
  last_ = nullptr;
  specialised_.clear();
}

std::string FunctionImpl::source() {
  const std::lock_guard lock(mutex_);
  return last_ ? last_->source() : "";
}

}  // namespace hypatia
