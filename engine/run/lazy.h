#pragma once
// Lazy branches: what only one branch of an ifelse needs becomes a function of its own, which runs
// when the condition takes that branch.

#include <string>

#include "engine/graph/graph.h"

namespace hypatia {

/// The program with its ifelse nodes made lazy; itself if it has none.
Graph with_lazy_branches(const Graph& graph, const std::string& name);
/// True of an ifelse made lazy whose branches may differ in size at a call: the condition, input 0,
/// decides sizes then.
bool is_lazy(const Apply& node);

}  // namespace hypatia
