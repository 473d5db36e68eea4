#include "engine/loop/body_nodes.h"

#include "engine/loop/scan_op.h"

namespace hypatia {

namespace {

const Graph& body(const Apply& loop) {
  return loop.attrs().as<ScanAttrs>().body->graph;
}

}  // namespace

std::vector<BodyNode> nodes_with_bodies(const Graph& graph) {
  std::vector<BodyNode> nodes;
  for (const Apply* node : graph.order())
    nodes.push_back({node});
  for (int n = 0; n < graph.size(); ++n) {
    const Apply& node = *graph.order()[static_cast<std::size_t>(n)];
    if (&node.op() != &scan_op) continue;
    const int first = static_cast<int>(nodes.size());
    for (const Apply* inner : body(node).order())
      nodes.push_back({inner, n, first});
  }
  return nodes;
}

int first_of_body(const Graph& graph, const Apply& loop) {
  int first = graph.size();
  for (const Apply* node : graph.order()) {
    if (node == &loop) break;
    if (&node->op() == &scan_op) first += body(*node).size();
  }
  return first;
}

const Graph& body_of(const Graph& graph, const BodyNode& node) {
  return body(*graph.order()[static_cast<std::size_t>(node.parent)]);
}

}  // namespace hypatia
