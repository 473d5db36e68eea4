#include "engine/loop/scan_op.h"

#include <algorithm>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/graph/concrete.h"
#include "engine/loop/scan_grad.h"
#include "engine/ops/layouts.h"

namespace hypatia {

namespace {

using TypeMap = std::unordered_map<Variable, Type, VariableHash>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::int64_t steps_of(const TypeCall& call) {
  const Array* value = call.value(0);
  if (!value) return unknown_dim;
  const std::int64_t steps = whole_number(*value);
  if (steps >= 0) return steps;
  throw Error(
      Error::Kind::value,
      "scan can't run " + std::to_string(steps) + " steps",
      "n_steps is 0 or more; go_backwards reads sequences from their end");
}

void check_sequences(const TypeCall& call, const ScanAttrs& attrs, std::int64_t steps) {
  for (int s = 0; s < attrs.sequences; ++s) {
    const std::int64_t rows = call.in[at(1 + s)].dims()[0];
    if (steps == unknown_dim || rows == unknown_dim || rows >= steps) continue;
    throw Error(
        Error::Kind::value,
        "sequence " + std::to_string(s) + " of scan has " + std::to_string(rows) + " rows for " +
            std::to_string(steps) + " steps",
        "give longer sequences, or leave n_steps out to stop with the shortest");
  }
}

void check_starts(const TypeCall& call, const ScanAttrs& attrs) {
  for (int c = 0; c < attrs.carries(); ++c) {
    const std::int64_t rows = call.in[at(attrs.first_start() + c)].dims()[0];
    if (rows == unknown_dim || rows == attrs.depth(c)) continue;
    throw Error(
        Error::Kind::shape,
        "the start of output " + std::to_string(c) + " has " + std::to_string(rows) +
            " rows, and its taps look " + std::to_string(attrs.depth(c)) + " steps back",
        "give one row for each step up to the farthest tap, the oldest first");
  }
}

Type stacked(const Type& row, std::int64_t rows) {
  Type type(row.dtype(), 0);
  type.push_axis(rows, false);
  for (int axis = 0; axis < row.rank(); ++axis)
    type.push_axis(row.dims()[axis], row.broadcastable(axis));
  return type;
}

/// Types of the body's inputs from those of the node's.
TypeMap body_types(const TypeCall& call, const ScanAttrs& attrs) {
  TypeMap types;
  const Vars& inputs = attrs.body->graph.inputs();
  std::size_t next = 0;
  // The body's own patterns hold: what stretches inside was decided when it was made.
  const auto add = [&](const Type& type) {
    const Variable& v = inputs[next++];
    types.emplace(v, v.type().with_dims(type.dims()));
  };
  for (int s = 0; s < attrs.sequences; ++s)
    add(row_type(call.in[at(1 + s)]));
  for (int c = 0; c < attrs.carries(); ++c) {
    const Type row = row_type(call.in[at(attrs.first_start() + c)]);
    for (std::size_t k = 0; k < attrs.taps[at(c)].size(); ++k)
      add(row);
  }
  for (std::size_t k = at(attrs.first_constant()); k < call.in.size(); ++k)
    add(call.in[k]);
  return types;
}

/// The numbers among what does not change, as far as they are known: rows may take sizes from them.
std::unordered_map<Variable, Array, VariableHash> body_values(
    const TypeCall& call, const ScanAttrs& attrs) {
  std::unordered_map<Variable, Array, VariableHash> values;
  const auto first = at(attrs.first_constant());
  for (std::size_t k = first; k < call.in.size(); ++k) {
    const Array* value = call.value(static_cast<int>(k));
    if (value)
      values.emplace(attrs.body->graph.inputs()[at(attrs.body_constant()) + k - first], *value);
  }
  return values;
}

bool all_known(const TypeCall& call) {
  return std::all_of(call.in.begin(), call.in.end(), [](const Type& t) { return t.known(); });
}

/// Where the loop runs: where any of its operands lies that is no number of steps.
Place place_of(const TypeCall& call) {
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    if (!call.in[i].place().on_host()) return call.in[i].place();
  }
  return host;
}

/// The types of the rows that a step makes, as precisely as they can be known.
Types rows_of(const TypeCall& call, const ScanAttrs& attrs) {
  Types rows;
  const Graph& graph = attrs.body->graph;
  const bool sizes = all_known(call);
  for (int i = 0; i < attrs.rows(); ++i)
    rows.push_back(graph.outputs()[at(i)].type().with_place(host));
  if (!sizes) return rows;
  const Concrete concrete(graph, body_types(call, attrs), {}, body_values(call, attrs));
  for (int i = 0; i < attrs.rows(); ++i)
    rows[at(i)] = concrete.type(graph.outputs()[at(i)]).with_place(host);
  return rows;
}

void infer_scan(const TypeCall& call, Types& out) {
  const auto& attrs = call.attrs.as<ScanAttrs>();
  const std::int64_t steps = steps_of(call);
  const Place place = place_of(call);
  check_sequences(call, attrs, steps);
  check_starts(call, attrs);
  const Types rows = rows_of(call, attrs);
  for (int i = 0; i < attrs.rows(); ++i) {
    Type row = rows[at(i)];
    if (i < attrs.carries()) {
      const Type start = row_type(call.in[at(attrs.first_start() + i)]);
      if (row.known() && start.known() && !(row.dims() == start.dims())) {
        throw Error(
            Error::Kind::shape,
            "output " + std::to_string(i) + " of a step of scan has the shape " +
                to_text(row.dims()) + ", and it started as " + to_text(start.dims()),
            "start with the shape that the step gives");
      }
      row = start;
    }
    if (all_known(call) && !row.known()) {
      throw Error(
          Error::Kind::shape,
          "output " + std::to_string(i) +
              " of a step of scan has a size that its data decides: " + brief(row),
          "rows of a scan have one size: give those of each step a size that is known before");
    }
    std::int64_t total = steps == unknown_dim ? unknown_dim : steps + attrs.rows_before(i);
    const std::int64_t kept = attrs.kept[at(i)];
    if (kept >= 0 && total != unknown_dim) total = std::min(total, kept);
    out.push_back(stacked(row, total).with_place(place));
  }
  if (attrs.until) out.push_back(Type(DType::int64, 0));
}

/// Steps one by one, each op by its reference evaluation: what everything else is compared with.
class Evaluation {
 public:
  explicit Evaluation(const EvalCall& call)
      : call_(call),
        attrs_(call.attrs.as<ScanAttrs>()),
        graph_(attrs_.body->graph),
        steps_(whole_number(call.in[0])) {
    for (int i = 0; i < attrs_.rows(); ++i) {
      const Type& type = call.out_types[at(i)];
      out_.push_back(Array::zeros(type.dtype(), type.dims()));
      skipped_.push_back(steps_ + attrs_.rows_before(i) - type.dims()[0]);
    }
    for (int c = 0; c < attrs_.carries(); ++c)
      start(c);
    const auto first = at(attrs_.first_constant());
    for (std::size_t k = first; k < call.in.size(); ++k)
      values_.emplace(graph_.inputs()[at(attrs_.body_constant()) + k - first], call.in[k]);
    Vars roots = graph_.outputs();
    for (const Variable& leaf : leaves_of(roots)) {
      if (const Array* value = constant_value(leaf)) values_.emplace(leaf, *value);
    }
  }

  std::vector<Array> run() {
    std::int64_t t = 0;
    for (bool last = false; t < steps_ && !last; ++t) {
      try {
        last = step(t);
      } catch (Error& error) {
        error.note("in step " + std::to_string(t) + " of scan");
        throw;
      }
    }
    if (attrs_.until) out_.push_back(Array(t));
    return std::move(out_);
  }

 private:
  void start(int c) {
    const Array& rows = call_.in[at(attrs_.first_start() + c)];
    past_.emplace_back();
    for (std::int64_t r = 0; r < attrs_.depth(c); ++r) {
      past_.back().push_back(rows[r].copy());
      store(c, r, past_.back().back());
    }
  }

  void store(int output, std::int64_t row, const Array& value) {
    const auto i = at(output);
    if (row >= skipped_[i]) copy_elements(value, out_[i][row - skipped_[i]]);
  }

  /// True if it was the last step.
  bool step(std::int64_t t) {
    std::size_t next = 0;
    for (int s = 0; s < attrs_.sequences; ++s)
      values_[graph_.inputs()[next++]] = call_.in[at(1 + s)][t];
    for (int c = 0; c < attrs_.carries(); ++c) {
      const auto& past = past_[at(c)];
      for (int tap : attrs_.taps[at(c)])
        values_[graph_.inputs()[next++]] = past[at(attrs_.depth(c) + tap)];
    }
    for (const Apply* node : graph_.order())
      evaluate(*node);
    const Vars& outputs = graph_.outputs();
    for (int i = 0; i < attrs_.rows(); ++i) {
      const Array row = values_.at(outputs[at(i)]).copy();
      store(i, t + attrs_.rows_before(i), row);
      if (i >= attrs_.carries()) continue;
      auto& past = past_[at(i)];
      past.erase(past.begin());
      past.push_back(row);
    }
    return attrs_.until && values_.at(outputs.back()).item() != 0;
  }

  void evaluate(const Apply& node) {
    std::vector<Array> in;
    std::vector<const Array*> known;
    Types types;
    for (const Variable& v : node.inputs()) {
      in.push_back(values_.at(v));
      types.push_back(v.type().with_dims(in.back().dims()));
    }
    for (const Array& a : in)
      known.push_back(&a);
    const Types out =
        infer_types(TypeCall{node.op(), node.attrs(), types, known}, node.inputs(), node.origin());
    const std::vector<Array> results = evaluated(node, in, out);
    for (std::size_t i = 0; i < results.size(); ++i)
      values_[Variable(Ref<const Apply>(&node), static_cast<std::uint32_t>(i))] = results[i];
  }

  const EvalCall& call_;
  const ScanAttrs& attrs_;
  const Graph& graph_;
  std::int64_t steps_;
  std::vector<std::int64_t> skipped_;  // rows of each output before the first that is kept
  std::vector<Array> out_;
  std::vector<std::vector<Array>> past_;  // last rows of each carry, oldest first
  std::unordered_map<Variable, Array, VariableHash> values_;
};

}  // namespace

void release(const ScanBody* body) {
  if (body->drop_owner()) delete body;
}

std::size_t attribute_hash(const Ref<const ScanBody>& body) {
  return reinterpret_cast<std::size_t>(body.get()) / 16;
}

std::string attribute_text(const Ref<const ScanBody>& body) {
  return std::to_string(body->graph.size()) + " nodes";
}

Vars leaves_beside_states(std::span<const Variable> roots) {
  // From users to operands: what is wanted in another role than as a state.
  std::unordered_set<const Apply*> wanted;
  for (const Variable& v : roots)
    wanted.insert(&v.node());
  const std::vector<const Apply*> order = topological_order(roots);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if (!wanted.contains(*node)) continue;
    const auto* attrs = &(*node)->op() == &scan_op ? &(*node)->attrs().as<ScanAttrs>() : nullptr;
    for (int i = 0; i < static_cast<int>((*node)->inputs().size()); ++i) {
      const bool state =
          attrs && i >= attrs->first_constant() - attrs->states && i < attrs->first_constant();
      if (!state) wanted.insert(&(*node)->input(i).node());
    }
  }
  Vars leaves = leaves_of(roots);
  std::erase_if(leaves, [&](const Variable& v) { return !wanted.contains(&v.node()); });
  return leaves;
}

int ScanAttrs::depth(int c) const {
  const auto& of_carry = taps[at(c)];
  return -*std::min_element(of_carry.begin(), of_carry.end());
}

int ScanAttrs::first_tap(int c) const {
  int first = sequences;
  for (int before = 0; before < c; ++before)
    first += static_cast<int>(taps[at(before)].size());
  return first;
}

bool sizes_stay(const ScanBody& body) {
  std::unordered_set<Variable, VariableHash> known;
  const auto is_known = [&](const Variable& v) { return is_constant(v) || known.contains(v); };
  for (const Apply* node : body.graph.order()) {
    const Op& op = node->op();
    const bool by_size = std::holds_alternative<ShapeLowering>(op.lowering);
    bool all = op.eval && op.foldable && node->type(0).rank() == 0;
    for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
      if (op.decides_sizes(i) && !is_known(node->input(i))) return false;
      all &= by_size || is_known(node->input(i));
    }
    if (all) known.insert(Variable(Ref<const Apply>(node), 0));
  }
  return true;
}

Type row_type(const Type& type) {
  Type row(type.dtype(), 0);
  for (int axis = 1; axis < type.rank(); ++axis)
    row.push_axis(type.dims()[axis], type.broadcastable(axis));
  return row;
}

constinit const Op scan_op{
    .name = "Scan",
    .doc = "a loop over a graph of one step",
    .arity = -1,
    .infer = infer_scan,
    .lowering = HostLowering{},
    .eval = [](const EvalCall& call) -> std::vector<Array> { return Evaluation(call).run(); },
    .pullback = scan_pullback,
    .pushforward = scan_pushforward,
    .print_name = [](const Apply& node) -> std::string {
      const auto& attrs = node.attrs().as<ScanAttrs>();
      return "Scan{" + attrs.name + (attrs.until ? ", until" : "") + "}";
    },
    .foldable = false,
    .size_inputs = 1,
};

}  // namespace hypatia
