// make_plan: the graph's nodes, in the order of their levels, become steps on buffers.
#include "engine/plan/builder.h"
#include "engine/plan/units.h"

namespace hypatia {

Plan make_plan(const Graph& graph, const Concrete& concrete, const PlanOptions& options) {
  const Groups groups = group_nodes(graph, concrete, options);
  PlanBuilder builder(graph, concrete, options);
  for (const Unit& unit : units_of(graph, concrete, groups, options)) {
    if (unit.is_kernel) {
      builder.add_kernel(unit);
    } else {
      builder.add_node(unit.nodes.front());
    }
  }
  Plan plan = builder.finish();
  if (options.merge_kernels) {
    join_loops(&plan);
    // A loop's kernels join in its own way.
    if (!options.in_body) run_beside(&plan);
    join_rows(&plan);
  }
  place_temporaries(&plan);
  return plan;
}

}  // namespace hypatia
