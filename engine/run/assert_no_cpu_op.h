#pragma once
// The flag assert_no_cpu_op: what to do about nodes that keep a function from staying on a GPU.

#include <string>

#include "engine/graph/graph.h"

namespace hypatia {

/// Looks at a placed graph as the flag says: nothing; a warning; an Error of kind device that names
/// the first such node, its line and its reason; or a stop for the debugger. A function none of
/// whose nodes runs on a GPU counts, too.
void assert_no_cpu_op(const Graph& graph, const std::string& function);

}  // namespace hypatia
