#pragma once
// The nodes of a graph and those of its loops' bodies, in one numbering: a plan's steps and a
// recording speak of both.

#include <vector>

#include "engine/graph/graph.h"

namespace hypatia {

/// A node of the graph, or of the body of one of its loops.
struct BodyNode {
  const Apply* node = nullptr;
  int parent = -1;  // position of the loop's node in the graph's order; -1: of the graph itself
  int first = 0;    // where the numbers of its body begin; 0 for the graph's own
};

/// The graph's order, followed by the order of each loop's body.
std::vector<BodyNode> nodes_with_bodies(const Graph& graph);
/// Where the numbers of a loop's body begin.
int first_of_body(const Graph& graph, const Apply& loop);
/// The body that a node with a parent belongs to.
const Graph& body_of(const Graph& graph, const BodyNode& node);

}  // namespace hypatia
