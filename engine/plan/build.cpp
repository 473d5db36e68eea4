// make_plan: the graph's nodes, in the order of their levels, become steps on buffers.
#include <algorithm>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/plan/builder.h"
#include "engine/plan/concrete.h"

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

std::vector<Unit> units_of(const Graph& graph, const Concrete& concrete, const Groups& groups) {
  std::vector<Unit> units;
  std::unordered_map<int, std::size_t> unit_of_group;
  for (int n = 0; n < graph.size(); ++n) {
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
  PlanBuilder builder(graph, concrete, groups);
  for (const Unit& unit : units_of(graph, concrete, groups)) {
    const int first = unit.nodes.front();
    if (groups.group_of[static_cast<std::size_t>(first)] >= 0) {
      builder.add_kernel(unit.nodes);
    } else {
      builder.add_node(first);
    }
  }
  Plan plan = builder.finish();
  place_temporaries(&plan);
  return plan;
}

}  // namespace hypatia
