#include "profiler/report/graph_layout.h"

#include <algorithm>

namespace hypatia {

namespace {

using Layers = std::vector<std::vector<std::size_t>>;
using Edges = std::vector<std::vector<std::size_t>>;

/// What each node reads, without leaves and without edges against the execution order.
Edges sources_of(const FunctionRecord& function) {
  Edges sources(function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    for (const InputRecord& input : function.nodes[i].inputs) {
      const auto source = static_cast<std::size_t>(std::max(0, input.node));
      if (input.node >= 0 && source < i) sources[i].push_back(source);
    }
  }
  return sources;
}

Edges reversed(const Edges& edges) {
  Edges back(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const std::size_t source : edges[i])
      back[source].push_back(i);
  }
  return back;
}

/// By the longest path from the top; but what reads leaves alone is right above its first reader.
void choose_layers(std::vector<PlacedNode>& nodes, const Edges& sources, const Edges& readers) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t source : sources[i])
      nodes[i].layer = std::max(nodes[i].layer, nodes[source].layer + 1);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!sources[i].empty() || readers[i].empty()) continue;
    int first = nodes[readers[i][0]].layer;
    for (const std::size_t reader : readers[i])
      first = std::min(first, nodes[reader].layer);
    nodes[i].layer = first - 1;
  }
}

Layers layers_of(std::vector<PlacedNode>& nodes) {
  Layers layers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::size_t>(nodes[i].layer);
    if (layers.size() <= number) layers.resize(number + 1);
    nodes[i].position = static_cast<int>(layers[number].size());
    layers[number].push_back(i);
  }
  return layers;
}

void order_by_neighbours(
    std::vector<std::size_t>& layer, const Edges& neighbours, std::vector<PlacedNode>& nodes) {
  std::vector<std::pair<double, std::size_t>> keys;
  for (const std::size_t node : layer) {
    double sum = 0;
    for (const std::size_t other : neighbours[node])
      sum += nodes[other].position;
    const auto count = static_cast<double>(neighbours[node].size());
    keys.emplace_back(count > 0 ? sum / count : nodes[node].position, node);
  }
  std::stable_sort(
      keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    layer[i] = keys[i].second;
    nodes[layer[i]].position = static_cast<int>(i);
  }
}

}  // namespace

GraphLayout lay_out(const FunctionRecord& function) {
  GraphLayout layout;
  const Edges sources = sources_of(function);
  const Edges readers = reversed(sources);
  layout.nodes.resize(function.nodes.size());
  choose_layers(layout.nodes, sources, readers);
  Layers layers = layers_of(layout.nodes);
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    for (std::vector<std::size_t>& layer : layers)
      order_by_neighbours(layer, sources, layout.nodes);
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      order_by_neighbours(*layer, readers, layout.nodes);
    }
  }
  layout.layers = static_cast<int>(layers.size());
  for (const std::vector<std::size_t>& layer : layers) {
    layout.widest = std::max(layout.widest, static_cast<int>(layer.size()));
  }
  return layout;
}

}  // namespace hypatia
