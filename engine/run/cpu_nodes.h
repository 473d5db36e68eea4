#pragma once
// assert_no_cpu_op: work that a function for a GPU leaves on the CPU.

#include <string>

#include "engine/graph/graph.h"

namespace hypatia {

/// Does what the flag assert_no_cpu_op says about a node on the CPU that takes its values from a
/// GPU or gives them there, and about a function without any node on a GPU. Throws Error if told
/// to.
void assert_no_cpu_op(const Graph& graph, const std::string& function);

}  // namespace hypatia
