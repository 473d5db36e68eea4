#pragma once
// What runs as one step: a group of nodes that share a kernel, or a node on its own.

#include <vector>

#include "engine/graph/concrete.h"
#include "engine/plan/plan.h"

namespace hypatia {

/// Longer kernels compile superlinearly and run out of registers.
inline constexpr std::size_t most_program_steps = 200;

/// Nodes by their position in the graph's order. `tail` holds elementwise nodes over what the
/// kernel's folds keep, which run on the folds' results within the kernel.
struct Unit {
  int level = 0;
  std::vector<int> nodes, tail;
  bool is_kernel = false;
};

/// The units that outputs and updates need, in the order in which they can run.
std::vector<Unit> units_of(
    const Graph& graph, const Concrete& concrete, const Groups& groups, const PlanOptions& options);

/// True of a node that computes element by element.
bool elementwise(const Apply& node);

/// True of a product of a matrix and a vector that a GPU computes as a loop nest.
bool is_nest_product(const Apply& node, const Concrete& concrete, const PlanOptions& options);

}  // namespace hypatia
