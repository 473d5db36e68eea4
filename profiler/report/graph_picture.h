#pragma once
// A function's graph, coloured by time: for Graphviz, and as a picture that needs no program.

#include <cstdint>
#include <string>

#include "profiler/analyze/account.h"

namespace hypatia {

/// Graphviz text. Slow nodes are dark, transfers red. Function ids count from 1; an absent one
/// gives an empty graph.
std::string dot_graph(const Recording& recording, const Account& account, std::uint32_t function);
/// A standalone SVG of the same, laid out by us.
std::string svg_graph(const Recording& recording, const Account& account, std::uint32_t function);

}  // namespace hypatia
