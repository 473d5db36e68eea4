// make_plan: the graph's nodes, in the order of their levels, become steps on buffers.
#include <algorithm>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/graph/concrete.h"
#include "engine/plan/builder.h"

namespace hypatia {

namespace {

/// A copy of what the call brings, which can go before everything else.
bool brings_in(const Apply& node) {
  return node.op().is_transfer() && is_leaf(node.input(0).node());
}

/// A group of nodes that share a kernel, or a node on its own.
struct Unit {
  int level = 0;
  std::vector<int> nodes;
};

/// Nodes whose elements something reads: outputs, updates, and their operands, sizes apart.
std::vector<bool> needed_nodes(const Graph& graph, const Concrete& concrete) {
  std::vector<bool> needed(graph.order().size(), false);
  const auto need = [&](const Variable& v) {
    const int n = graph.position(&v.node());
    if (n >= 0 && !concrete.value(v)) needed[static_cast<std::size_t>(n)] = true;
  };
  for (const Variable& v : graph.outputs())
    need(v);
  for (const Update& u : graph.updates())
    need(u.value);
  for (std::size_t n = needed.size(); n-- > 0;) {
    if (!needed[n]) continue;
    const Apply& at = *graph.order()[n];
    for (int i = 0; i < static_cast<int>(at.inputs().size()); ++i) {
      if (!at.op().only_sizes(i)) need(at.input(i));
    }
  }
  return needed;
}

std::vector<Unit> units_of(const Graph& graph, const Concrete& concrete, const Groups& groups) {
  std::vector<Unit> units;
  std::unordered_map<int, std::size_t> unit_of_group;
  const std::vector<bool> needed = needed_nodes(graph, concrete);
  for (int n = 0; n < graph.size(); ++n) {
    if (!needed[static_cast<std::size_t>(n)]) continue;
    if (concrete.known(*graph.order()[static_cast<std::size_t>(n)])) continue;
    const int group = groups.group_of[static_cast<std::size_t>(n)];
    const int level = groups.level_of[static_cast<std::size_t>(n)];
    if (group >= 0) {
      const auto [found, is_new] = unit_of_group.emplace(group, units.size());
      if (!is_new) {
        units[found->second].nodes.push_back(n);
        continue;
      }
    }
    units.push_back({brings_in(*graph.order()[static_cast<std::size_t>(n)]) ? -1 : level, {n}});
  }
  std::stable_sort(
      units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.level < b.level; });
  return units;
}

}  // namespace

Plan make_plan(const Graph& graph, const Concrete& concrete, const PlanOptions& options) {
  const Groups groups = group_nodes(graph, concrete, options);
  PlanBuilder builder(graph, concrete, groups, options);
  for (const Unit& unit : units_of(graph, concrete, groups)) {
    const int first = unit.nodes.front();
    if (groups.group_of[static_cast<std::size_t>(first)] >= 0) {
      builder.add_kernel(unit.nodes);
    } else {
      builder.add_node(first);
    }
  }
  Plan plan = builder.finish();
  if (options.merge_kernels) join_rows(&plan);
  place_temporaries(&plan);
  return plan;
}

}  // namespace hypatia
