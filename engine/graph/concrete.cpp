#include "engine/graph/concrete.h"

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"

namespace hypatia {

namespace {

// Larger values are computed by kernels, even where they are known.
constexpr std::int64_t largest_value = 64;

}  // namespace

Concrete::Concrete(
    const Graph& graph,
    const std::unordered_map<Variable, Type, VariableHash>& leaf_types,
    const std::unordered_map<Variable, Type, VariableHash>& sized,
    const std::unordered_map<Variable, Array, VariableHash>& values)
    : types_(leaf_types), values_(values) {
  types_.insert(sized.begin(), sized.end());
  add_leaves(graph);
  for (const Apply* node : graph.order())
    add_node(*node);
}

void Concrete::add_leaves(const Graph& graph) {
  Vars roots = graph.outputs();
  for (const Update& u : graph.updates())
    roots.push_back(u.value);
  for (const Variable& leaf : leaves_of(roots)) {
    types_.emplace(leaf, leaf.type());
    if (const Array* value = constant_value(leaf)) values_.emplace(leaf, *value);
  }
}

void Concrete::add_node(const Apply& node) {
  Types in;
  std::vector<const Array*> values;
  for (const Variable& v : node.inputs()) {
    in.push_back(type(v));
    values.push_back(value(v));
  }
  if (types_.contains(Variable(Ref<const Apply>(&node), 0))) return;  // its sizes depend on data
  const Types out =
      infer_types(TypeCall{node.op(), node.attrs(), in, values}, node.inputs(), node.origin());
  const Ref<const Apply> ref(&node);
  for (std::size_t i = 0; i < out.size(); ++i) {
    // The place is the graph's decision; the rule knows only what the operands say.
    types_[Variable(ref, static_cast<std::uint32_t>(i))] =
        out[i].with_place(node.types()[i].place());
  }
  evaluate(node, in, values);
}

void Concrete::evaluate(
    const Apply& node, const Types& in, const std::vector<const Array*>& values) {
  // A known value needs no transfer: kernels of either place hold it as a number.
  if (!node.op().eval || !(node.op().foldable || node.op().is_transfer())) return;
  const bool by_size = std::holds_alternative<ShapeLowering>(node.op().lowering);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (by_size) {
      if (!in[i].known()) return;
      // Sizes are all that is looked at: no storage is needed.
      arrays.emplace_back(borrow_host(nullptr, 0), in[i].dtype(), in[i].dims(), in[i].dims(), 0);
    } else if (values[i]) {
      arrays.push_back(*values[i]);
    } else {
      return;
    }
  }
  const Ref<const Apply> ref(&node);
  Types out;
  for (int i = 0; i < node.outputs(); ++i) {
    out.push_back(type(Variable(ref, static_cast<std::uint32_t>(i))));
    if (!out.back().known() || elements(out.back().dims()) > largest_value) return;
  }
  const std::vector<Array> results = evaluated(node, arrays, out);
  for (std::size_t i = 0; i < results.size(); ++i) {
    values_.emplace(Variable(ref, static_cast<std::uint32_t>(i)), results[i].copy());
  }
}

const Type& Concrete::type(const Variable& v) const {
  const auto found = types_.find(v);
  if (found == types_.end()) internal_error("no sizes of " + print_name(v.node()));
  return found->second;
}

const Array* Concrete::value(const Variable& v) const {
  const auto found = values_.find(v);
  return found == values_.end() ? nullptr : &found->second;
}

bool Concrete::known(const Apply& node) const {
  return node.outputs() > 0 && value(Variable(Ref<const Apply>(&node), 0)) != nullptr;
}

}  // namespace hypatia
