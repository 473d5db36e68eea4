#include "engine/graph/graph.h"

#include <algorithm>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"

namespace hypatia {

namespace {

/// Visits applications and leaves below `roots`, operands before users, without recursion.
void visit_nodes(
    std::span<const Variable> roots,
    FunctionRef<void(const Variable& first_seen_as, const Apply&)> visit) {
  struct Frame {
    const Variable* variable;
    std::size_t next = 0;
  };

  std::unordered_set<const Apply*> seen;
  std::vector<Frame> stack;
  for (const Variable& root : roots) {
    if (!seen.insert(&root.node()).second) continue;
    stack.push_back({&root});
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Apply& node = top.variable->node();
      if (top.next == node.inputs().size()) {
        visit(*top.variable, node);
        stack.pop_back();
        continue;
      }
      const Variable& operand = node.inputs()[top.next++];
      if (seen.insert(&operand.node()).second) stack.push_back({&operand});
    }
  }
}

Vars roots_of(const Vars& outputs, const std::vector<Update>& updates) {
  Vars roots = outputs;
  for (const Update& u : updates)
    roots.push_back(u.value);
  return roots;
}

using Map = std::unordered_map<Variable, Variable, VariableHash>;

Variable mapped(const Map& map, const Variable& v) {
  const auto found = map.find(v);
  return found == map.end() ? v : found->second;
}

void map_outputs(Map* map, const Ref<const Apply>& from, const Ref<const Apply>& to) {
  if (from == to) return;
  for (int i = 0; i < from->outputs(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    map->emplace(Variable(from, index), Variable(to, index));
  }
}

Vars mapped_inputs(const Map& map, const Apply& node) {
  Vars inputs;
  inputs.reserve(node.inputs().size());
  for (const Variable& v : node.inputs())
    inputs.push_back(mapped(map, v));
  return inputs;
}

void check_replacement(const Apply& node, const Vars& replacement) {
  if (static_cast<int>(replacement.size()) != node.outputs()) {
    internal_error("a rewrite of " + print_name(node) + " gave another number of outputs");
  }
}

}  // namespace

std::vector<const Apply*> topological_order(std::span<const Variable> roots) {
  std::vector<const Apply*> order;
  visit_nodes(roots, [&](const Variable&, const Apply& node) {
    if (!is_leaf(node)) order.push_back(&node);
  });
  return order;
}

Vars leaves_of(std::span<const Variable> roots) {
  Vars leaves;
  visit_nodes(roots, [&](const Variable& v, const Apply& node) {
    if (is_leaf(node)) leaves.push_back(v);
  });
  return leaves;
}

Ref<const Apply> with_inputs(const Apply& node, Vars inputs) {
  if (inputs == node.inputs()) return Ref<const Apply>(&node);
  const OriginScope scope(node.origin());
  Ref<const Apply> copy = Apply::make(node.op(), std::move(inputs), node.attrs(), node.origin());
  // Where a node runs was decided for it: a type rule knows only what some of its operands say.
  Types types = copy->types();
  bool moved = false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Place place = node.types()[i].place();
    moved |= types[i].place() != place;
    types[i] = types[i].with_place(place);
  }
  if (moved) {
    copy =
        Apply::make_typed(node.op(), copy->inputs(), node.attrs(), std::move(types), node.origin());
  }
  for (int i = 0; i < node.outputs(); ++i)
    copy->set_name(i, node.name(i));
  return copy;
}

Vars substitute(
    std::span<const Variable> roots, std::span<const std::pair<Variable, Variable>> pairs) {
  Map map;
  for (const auto& [from, to] : pairs)
    map.emplace(from, to);
  for (const Apply* node : topological_order(roots)) {
    const Ref<const Apply> old(node);
    if (map.contains(Variable(old, 0))) continue;
    map_outputs(&map, old, with_inputs(*node, mapped_inputs(map, *node)));
  }
  Vars result;
  for (const Variable& v : roots)
    result.push_back(mapped(map, v));
  return result;
}

Graph::Graph(Vars inputs, Vars outputs, std::vector<Update> updates)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), updates_(std::move(updates)) {
  sort();
}

void Graph::sort() {
  const Vars roots = roots_of(outputs_, updates_);
  visit_nodes(roots, [&](const Variable& v, const Apply& node) {
    if (!is_leaf(node)) {
      position_.emplace(&node, static_cast<int>(order_.size()));
      order_.push_back(&node);
      for (const Variable& operand : node.inputs())
        ++uses_[operand];
    } else if (is_shared(v)) {
      shared_.push_back(v);
    }
  });
  for (const Variable& v : roots)
    ++uses_[v];
  for (const Update& u : updates_) {
    if (std::find(shared_.begin(), shared_.end(), u.target) == shared_.end()) {
      shared_.push_back(u.target);
    }
  }
}

int Graph::position(const Apply* node) const {
  const auto found = position_.find(node);
  return found == position_.end() ? -1 : found->second;
}

int Graph::uses(const Variable& v) const {
  const auto found = uses_.find(v);
  return found == uses_.end() ? 0 : found->second;
}

Graph Graph::rebuild(FunctionRef<Replacement(const Apply&, const Apply&)> replace) const {
  Map map;
  for (const Apply* node : order_) {
    const Ref<const Apply> old(node);
    const Ref<const Apply> rebuilt = with_inputs(*node, mapped_inputs(map, *node));
    const OriginScope scope(node->origin());
    const Replacement replacement = replace(*rebuilt, *node);
    if (replacement.empty()) {
      map_outputs(&map, old, rebuilt);
      continue;
    }
    check_replacement(*node, replacement);
    for (int i = 0; i < node->outputs(); ++i) {
      const Variable& to = replacement[static_cast<std::size_t>(i)];
      if (to.name().empty() && !is_leaf(to.node())) to.set_name(node->name(i));
      map.emplace(Variable(old, static_cast<std::uint32_t>(i)), to);
    }
  }
  Vars outputs;
  for (const Variable& v : outputs_)
    outputs.push_back(mapped(map, v));
  std::vector<Update> updates = updates_;
  for (Update& u : updates)
    u.value = mapped(map, u.value);
  return Graph(inputs_, std::move(outputs), std::move(updates));
}

}  // namespace hypatia
