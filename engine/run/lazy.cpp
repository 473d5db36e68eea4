#include "engine/run/lazy.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "engine/expr/leaves.h"
#include "engine/graph/concrete.h"
#include "engine/ops/ifelse.h"
#include "engine/run/function.h"

namespace hypatia {

namespace {

/// One branch: a graph of the values that come from outside, and its function.
struct Branch {
  Graph graph;
  Function function;
};

/// Keeps nodes apart; users never see it.
struct Number {
  std::uint64_t value = 0;

  bool operator==(const Number&) const = default;
};

std::size_t attribute_hash(Number number) {
  return number.value;
}

std::string attribute_text(Number) {
  return "";
}

struct LazyAttrs {
  Number number;  // no two are equal
  Branch then, otherwise;

  auto fields() const { return std::tie(number); }
};

Types output_types(const Branch& branch, std::span<const Type> in) {
  std::unordered_map<Variable, Type, VariableHash> types;
  bool known = true;
  for (std::size_t i = 0; i < in.size(); ++i) {
    types.emplace(branch.graph.inputs()[i], in[i]);
    known &= in[i].known();
  }
  Types out;
  const Concrete concrete(branch.graph, types);
  for (const Variable& v : branch.graph.outputs())
    out.push_back((known ? concrete.type(v) : v.type()).with_place(host));
  return out;
}

void infer_lazy(const TypeCall& call, Types& out) {
  const auto& attrs = call.attrs.as<LazyAttrs>();
  const std::size_t count = attrs.then.graph.inputs().size();
  const Types then = output_types(attrs.then, call.in.subspan(1, count));
  infer_branches(
      call.value(0), then, output_types(attrs.otherwise, call.in.subspan(1 + count)), out);
}

std::vector<Array> eval_lazy(const EvalCall& call) {
  const auto& attrs = call.attrs.as<LazyAttrs>();
  const std::size_t count = attrs.then.graph.inputs().size();
  const bool taken = call.in[0].item() != 0;
  const auto values = taken ? call.in.subspan(1, count) : call.in.subspan(1 + count);
  const Results results = (taken ? attrs.then : attrs.otherwise).function.call(values);
  std::vector<Array> out;
  for (const Array& result : results)
    out.push_back(asarray(result));
  return out;
}

constexpr Op lazy(std::uint32_t size_inputs) {
  return Op{
      .name = "IfElse",
      .doc = "an ifelse whose branches are functions",
      .arity = -1,
      .infer = infer_lazy,
      .lowering = HostLowering{.why = "the host decides which branch runs"},
      .eval = eval_lazy,
      .foldable = false,
      .size_inputs = size_inputs,
  };
}

// Branches of one size at every call, and those of which the condition decides the size.
constinit const Op lazy_op = lazy(0), lazy_sized_op = lazy(1);

/// Whose axis says how long this one is, through elementwise work.
std::pair<Variable, int> measured_by(Variable v, int axis) {
  while (v.node().op().is_scalar()) {
    const Vars& in = v.node().inputs();
    const auto wide = [&](const Variable& x) { return !x.type().broadcastable(axis); };
    const auto from = std::find_if(in.begin(), in.end(), wide);
    if (from == in.end()) break;
    v = *from;
  }
  return {v, axis};
}

/// True where two values are of one size in every call.
bool same_sizes(const Variable& a, const Variable& b) {
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const std::int64_t n = a.type().dims()[axis], m = b.type().dims()[axis];
    const bool known = n != unknown_dim && n == m;
    if (!known && measured_by(a, axis) != measured_by(b, axis)) return false;
  }
  return true;
}

using Nodes = std::unordered_set<const Apply*>;

/// Nodes that nothing reads but some values of `node` and each other.
Nodes needed_only_by(const Graph& graph, const Apply& node, std::span<const Variable> values) {
  std::unordered_map<Variable, int, VariableHash> inside;
  for (const Variable& v : values)
    ++inside[v];
  Nodes nodes;
  for (int n = graph.position(&node); n-- > 0;) {
    const Apply* at = graph.order()[static_cast<std::size_t>(n)];
    bool read = false, elsewhere = false;
    for (int i = 0; i < at->outputs(); ++i) {
      const Variable v(Ref<const Apply>(at), static_cast<std::uint32_t>(i));
      const auto found = inside.find(v);
      const int reads = found == inside.end() ? 0 : found->second;
      read |= reads > 0;
      elsewhere |= reads != graph.uses(v);
    }
    if (!read || elsewhere) continue;
    nodes.insert(at);
    for (const Variable& v : at->inputs())
      ++inside[v];
  }
  return nodes;
}

/// What a branch reads from outside: in order of first sight, constants left out.
Vars read_from_outside(const Graph& graph, const Nodes& nodes, std::span<const Variable> values) {
  Vars border;
  std::unordered_set<Variable, VariableHash> seen;
  const auto note = [&](const Variable& v) {
    if (!nodes.contains(&v.node()) && !is_constant(v) && seen.insert(v).second) border.push_back(v);
  };
  for (const Variable& v : values)
    note(v);
  for (const Apply* node : graph.order()) {
    if (!nodes.contains(node)) continue;
    for (const Variable& v : node->inputs())
      note(v);
  }
  return border;
}

Branch branch_of(
    const Graph& graph,
    const Apply& node,
    std::span<const Variable> values,
    const std::string& name,
    Vars* inputs) {
  const Nodes nodes = needed_only_by(graph, node, values);
  const Vars border = read_from_outside(graph, nodes, values);
  Vars stand_ins;
  std::vector<std::pair<Variable, Variable>> pairs;
  for (const Variable& v : border) {
    stand_ins.push_back(input(v.type(), v.name(), v.node().origin()));
    pairs.emplace_back(v, stand_ins.back());
  }
  inputs->insert(inputs->end(), border.begin(), border.end());
  const Vars outputs = substitute(values, pairs);
  const std::vector<In> arguments(stand_ins.begin(), stand_ins.end());
  return {
      Graph(stand_ins, outputs),
      function(arguments, Outputs(outputs), {.name = name}, node.origin())};
}

/// The last ifelse of the order: no other one's branch holds it.
const Apply* last_ifelse(const Graph& graph) {
  for (std::size_t n = graph.order().size(); n-- > 0;) {
    if (&graph.order()[n]->op() == &ifelse_op) return graph.order()[n];
  }
  return nullptr;
}

}  // namespace

bool is_lazy(const Apply& node) {
  return &node.op() == &lazy_sized_op;
}

Graph with_lazy_branches(const Graph& graph, const std::string& name) {
  static std::atomic<std::uint64_t> next{1};
  Graph current = graph;
  while (const Apply* node = last_ifelse(current)) {
    const auto count = static_cast<std::size_t>(node->outputs());
    const std::span<const Variable> values = std::span(node->inputs()).subspan(1);
    Vars inputs{node->input(0)};
    LazyAttrs attrs{.number = {next++}, .then = {}, .otherwise = {}};
    bool sure = true;
    for (std::size_t i = 0; i < count; ++i)
      sure &= same_sizes(values[i], values[count + i]);
    const Op& op = sure ? lazy_op : lazy_sized_op;
    attrs.then = branch_of(current, *node, values.first(count), name + ".then", &inputs);
    attrs.otherwise = branch_of(current, *node, values.subspan(count), name + ".else", &inputs);
    current = current.rebuild([&](const Apply&, const Apply& old) -> Replacement {
      if (&old != node) return {};
      return apply_all(op, inputs, attrs, node->origin());
    });
  }
  return current;
}

}  // namespace hypatia
