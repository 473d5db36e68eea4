#include "engine/run/data_sizes.h"

#include <algorithm>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/watch.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/transfer.h"
#include "engine/run/lazy.h"

namespace hypatia {

namespace {

using Known = std::unordered_map<Variable, bool, VariableHash>;

bool known(const Known& values, const Variable& v) {
  if (is_constant(v)) return true;
  const auto found = values.find(v);
  return found != values.end() && found->second;
}

bool is_shape(const Apply& node) {
  return std::holds_alternative<ShapeLowering>(node.op().lowering);
}

/// A loop that stops by itself, of which nobody reads the values of rows.
bool only_counts(const Apply& node, const std::unordered_set<Variable, VariableHash>& read) {
  if (&node.op() != &scan_op || !node.attrs().as<ScanAttrs>().until) return false;
  for (int i = 0; i + 1 < node.outputs(); ++i) {
    if (read.contains(Variable(Ref<const Apply>(&node), static_cast<std::uint32_t>(i))))
      return false;
  }
  return sizes_stay(*node.attrs().as<ScanAttrs>().body);
}

/// The number of steps of a loop, as a function of all that goes into it: counted where the loop
/// runs, so that both stop at the same step.
Function counter(const Apply& node) {
  const Unwatched engine;
  std::vector<In> inputs;
  Vars outer;
  for (const Variable& v : node.inputs()) {
    const Variable here = keep_on_host(input(v.type().with_place(host)));
    inputs.emplace_back(here);
    outer.push_back(transfer(here, v.type().place(), "what the steps are counted from"));
  }
  const Vars all = apply_all(scan_op, outer, node.attrs(), node.origin());
  return function(inputs, all.back(), {.name = "steps of " + print_name(node)}, node.origin());
}

/// True of numbers that follow from sizes alone, as the plan finds them too.
bool follows_from_sizes(const Known& values, const Apply& node) {
  if (!node.op().eval || !node.op().foldable || node.type(0).rank() > 0) return false;
  if (is_shape(node)) return true;
  for (const Variable& v : node.inputs()) {
    if (!known(values, v)) return false;
  }
  return true;
}

bool depends_on_data(const Known& values, const Apply& node) {
  for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
    if (node.op().decides_sizes(i) && !known(values, node.input(i))) return true;
  }
  return false;
}

}  // namespace

DataSizes::DataSizes(const Graph& graph) : graph_(graph) {
  Known values;
  for (const Apply* node : graph.order()) {
    if (depends_on_data(values, *node)) sized_.push_back(node);
    const bool follows = follows_from_sizes(values, *node);
    for (int i = 0; i < node->outputs(); ++i) {
      values[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = follows;
    }
  }
  if (!sized_.empty()) mark(graph);
}

void DataSizes::mark(const Graph& graph) {
  constexpr char nothing = 0, type = 1, value = 2;
  std::unordered_map<const Apply*, char> wanted;
  std::unordered_set<Variable, VariableHash> read;
  const auto want = [&](const Variable& v, char what) {
    char& now = wanted[&v.node()];
    now = std::max(now, what);
  };
  for (const Apply* node : sized_)
    wanted[node] = type;
  for (std::size_t n = graph.order().size(); n-- > 0;) {
    const Apply* node = graph.order()[n];
    const char what = wanted[node];
    if (what == nothing) continue;
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      // A condition is read where a call's branches are not of one size.
      const bool decides = node->op().decides_sizes(i) && !is_lazy(*node);
      const bool reads = (what == value && !is_shape(*node)) || decides;
      want(node->input(i), reads ? value : type);
      if (reads) read.insert(node->input(i));
    }
  }
  const auto add_slot = [&](const Variable& v) {
    slots_of_.emplace(v, static_cast<int>(slots_.size()));
    slots_.push_back({v.type(), {}, false});
    leaf_values_.push_back(wanted[&v.node()] == value);
  };
  Vars roots = graph.outputs();
  for (const Update& u : graph.updates())
    roots.push_back(u.value);
  for (const Variable& leaf : leaves_of(roots)) {
    if (wanted[&leaf.node()] == nothing) continue;
    add_slot(leaf);
    if (const Array* constant = constant_value(leaf)) {
      slots_.back().type = leaf.type().with_dims(constant->dims());
      slots_.back().value = *constant;
      slots_.back().has_value = true;
    }
  }
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const auto found = slots_of_.find(graph.inputs()[i]);
    if (found != slots_of_.end()) inputs_.emplace_back(found->second, i);
  }
  for (std::size_t i = 0; i < graph.shared().size(); ++i) {
    const auto found = slots_of_.find(graph.shared()[i]);
    if (found != slots_of_.end()) shared_.emplace_back(found->second, i);
  }
  for (const Apply* node : graph.order()) {
    if (wanted[node] == nothing) continue;
    Task task{node, {}, static_cast<int>(slots_.size()), wanted[node] == value, false, {}};
    any_branch_ = any_branch_ || is_lazy(*node);
    task.counts_only = task.wants_value && only_counts(*node, read);
    for (const Variable& v : node->inputs())
      task.in.push_back(slot_of(v));
    for (int i = 0; i < node->outputs(); ++i)
      add_slot(Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i)));
    task_of_.emplace(node, tasks_.size());
    tasks_.push_back(std::move(task));
  }
}

std::vector<const Array*> DataSizes::values_of(const Task& task) const {
  std::vector<const Array*> values;
  values.reserve(task.in.size());
  for (int s : task.in) {
    const Slot& slot = slots_[static_cast<std::size_t>(s)];
    values.push_back(slot.has_value ? &slot.value : nullptr);
  }
  return values;
}

std::vector<Array> DataSizes::count_steps(Task* task, const std::vector<Array>& in) const {
  if (!task->count) task->count = counter(*task->node);
  std::vector<Array> results(static_cast<std::size_t>(task->node->outputs()));
  results.back() = asarray(task->count->call(std::span<const Array>(in)).only());
  return results;
}

void DataSizes::infer(const Task& task) {
  const Apply& node = *task.node;
  Types in;
  in.reserve(task.in.size());
  for (int s : task.in)
    in.push_back(slots_[static_cast<std::size_t>(s)].type);
  const std::vector<const Array*> values = values_of(task);
  const TypeCall call{node.op(), node.attrs(), in, values};
  Types out = infer_types(call, node.inputs(), node.origin());
  for (std::size_t i = 0; i < out.size(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(task.first) + i];
    slot.type = out[i].with_place(node.types()[i].place());
    slot.has_value = false;
  }
}

void DataSizes::evaluate(Task* what) {
  const Task& task = *what;
  const Apply& node = *task.node;
  const std::vector<const Array*> values = values_of(task);
  std::vector<Array> arrays;
  arrays.reserve(task.in.size());
  for (std::size_t i = 0; i < task.in.size(); ++i) {
    const Type& in = slots_[static_cast<std::size_t>(task.in[i])].type;
    if (is_shape(node)) {
      arrays.emplace_back(borrow_host(nullptr, 0), in.dtype(), in.dims(), in.dims(), 0);
    } else {
      arrays.push_back(*values[i]);
    }
  }
  Types out;
  for (int i = 0; i < node.outputs(); ++i)
    out.push_back(slots_[static_cast<std::size_t>(task.first + i)].type);
  std::vector<Array> results =
      task.counts_only ? count_steps(what, arrays) : evaluated(node, arrays, out);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(task.first) + i];
    slot.has_value = !task.counts_only || i + 1 == results.size();
    slot.value = std::move(results[i]);
    if (slot.has_value) slot.value.sync();  // a GPU may still fill it
  }
}

void DataSizes::find_values(std::span<const int> slots, const Task* before) {
  std::vector<bool> wanted(slots_.size());
  for (int s : slots)
    wanted[static_cast<std::size_t>(s)] = true;
  const auto makes = [&](const Task& task) {
    bool any = false;
    for (int i = 0; i < task.node->outputs(); ++i) {
      const auto s = static_cast<std::size_t>(task.first + i);
      any |= wanted[s] && !slots_[s].has_value;
    }
    return any;
  };
  const auto end = static_cast<std::size_t>(before - tasks_.data());
  for (std::size_t t = end; t-- > 0;) {
    if (!makes(tasks_[t]) || is_shape(*tasks_[t].node)) continue;
    for (int s : tasks_[t].in)
      wanted[static_cast<std::size_t>(s)] = true;
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    if (!wanted[s] || slot.has_value || !slot.given) continue;
    slot.value = asarray(*slot.given);
    slot.value.sync();
    slot.has_value = true;
  }
  for (std::size_t t = 0; t < end; ++t) {
    if (makes(tasks_[t])) evaluate(&tasks_[t]);
  }
}

void DataSizes::find_branch(Task* task) {
  const auto known = [&] {
    bool all = true;
    for (int i = 0; i < task->node->outputs(); ++i)
      all &= slots_[static_cast<std::size_t>(task->first + i)].type.known();
    return all;
  };
  if (known()) return;
  find_values(std::span(task->in).first(1), task);
  infer(*task);
  if (known()) return;
  // The branch taken has sizes that its own data decides.
  find_values(task->in, task);
  evaluate(task);
  for (int i = 0; i < task->node->outputs(); ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(task->first + i)];
    slot.type = slot.type.with_dims(slot.value.dims());
  }
}

void DataSizes::run(Task* task) {
  infer(*task);
  if (is_lazy(*task->node)) find_branch(task);
  if (task->wants_value) evaluate(task);
}

bool DataSizes::describe(
    std::span<const Array* const> inputs, std::span<const Array* const> shared) {
  constexpr std::int64_t most_bytes = 256;
  call_.assign(1, 0);
  const auto add = [&](const void* bytes, std::int64_t count) {
    const char* from = static_cast<const char*>(bytes);
    call_.insert(call_.end(), from, from + count);
  };
  const auto add_leaf = [&](int s, const Array& value) {
    for (const std::int64_t n : value.dims())
      add(&n, sizeof n);
    if (!leaf_values_[static_cast<std::size_t>(s)]) return true;
    const std::int64_t bytes = value.elements() * size_of(value.dtype());
    if (!value.on_host() || !value.contiguous() || bytes > most_bytes) return false;
    value.sync();
    add(value.address(), bytes);
    return true;
  };
  bool all = true;
  for (const auto& [s, number] : inputs_)
    all = all && add_leaf(s, *inputs[number]);
  for (const auto& [s, number] : shared_)
    all = all && add_leaf(s, *shared[number]);
  return all;
}

void DataSizes::find(std::span<const Array* const> inputs, std::span<const Array* const> shared) {
  const auto take = [&](int s, const Variable& leaf, const Array& value) {
    Slot& slot = slots_[static_cast<std::size_t>(s)];
    slot.type = leaf.type().with_dims(value.dims());
    slot.given = &value;
    slot.has_value = leaf_values_[static_cast<std::size_t>(s)];
    if (!slot.has_value) return;
    slot.value = asarray(value);
    slot.value.sync();
  };
  for (const auto& [s, number] : inputs_)
    take(s, graph_.inputs()[number], *inputs[number]);
  for (const auto& [s, number] : shared_)
    take(s, graph_.shared()[number], *shared[number]);
  const bool comparable = !any_branch_ && describe(inputs, shared);
  if (comparable && !last_call_.empty() && call_ == last_call_) return;  // found already
  last_call_.clear();
  for (Task& task : tasks_)
    run(&task);
  if (comparable) last_call_.swap(call_);
}

void DataSizes::add_to(std::vector<std::int64_t>* key) const {
  for (const Apply* node : sized_) {
    const Task& task = tasks_[task_of_.at(node)];
    for (int i = 0; i < node->outputs(); ++i) {
      const Type& type = slots_[static_cast<std::size_t>(task.first + i)].type;
      key->insert(key->end(), type.dims().begin(), type.dims().end());
    }
  }
  for (const Apply* node : sized_) {
    if (const Array* steps = steps_of(*node)) key->push_back(*steps->data<std::int64_t>());
  }
}

const Array* DataSizes::steps_of(const Apply& node) const {
  if (&node.op() != &scan_op) return nullptr;
  const Slot& steps = slots_[static_cast<std::size_t>(slot_of(node.input(0)))];
  return steps.has_value ? &steps.value : nullptr;
}

DataSizes::ValueMap DataSizes::values() const {
  ValueMap values;
  for (const Apply* node : sized_) {
    if (const Array* steps = steps_of(*node)) values.emplace(node->input(0), *steps);
  }
  return values;
}

DataSizes::TypeMap DataSizes::types() const {
  TypeMap types;
  for (const Apply* node : sized_) {
    const Task& task = tasks_[task_of_.at(node)];
    for (int i = 0; i < node->outputs(); ++i) {
      const Variable v(Ref<const Apply>(node), static_cast<std::uint32_t>(i));
      types.emplace(v, slots_[static_cast<std::size_t>(task.first + i)].type);
    }
  }
  return types;
}

const Array* DataSizes::decided(const Apply& node, int input) const {
  const auto task = task_of_.find(&node);
  if (task == task_of_.end() || !node.op().decides_sizes(input)) return nullptr;
  const Slot& slot = slots_[static_cast<std::size_t>(slot_of(node.input(input)))];
  return slot.has_value ? &slot.value : nullptr;
}

void DataSizes::shifts(const Plan& plan, std::vector<std::int64_t>* out) const {
  out->clear();
  for (const Shift& shift : plan.shifts) {
    const Task& task = tasks_[task_of_.at(shift.node)];
    Types in;
    for (int s : task.in)
      in.push_back(slots_[static_cast<std::size_t>(s)].type);
    const std::vector<const Array*> values = values_of(task);
    const Op& op = shift.node->op();
    const TypeCall call{op, shift.node->attrs(), in, values};
    const auto* view = std::get_if<ViewLowering>(&op.lowering);
    const auto start = view ? view->start : std::get<AssembleLowering>(op.lowering).start;
    out->push_back(start(call, shift.layout));
  }
}

}  // namespace hypatia
