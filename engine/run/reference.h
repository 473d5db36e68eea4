#pragma once
// A whole graph by its ops' reference evaluations, without plan, kernels or devices.

#include <span>
#include <unordered_map>

#include "engine/graph/graph.h"

namespace hypatia {

using Values = std::unordered_map<Variable, Array, VariableHash>;

/// Values of everything that outputs and updates need, on the host; `leaves` holds those of the
/// inputs and shared variables. Throws Error with the user's line.
Values reference_values(const Graph& graph, Values leaves);

/// The same of one application, whose operands are in `values`.
std::vector<Array> reference_outputs(const Apply& node, const Values& values);

}  // namespace hypatia
