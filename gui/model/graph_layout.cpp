// Which boxes and edges a drawing has: those of a function, of a loop's body or of a fused node's.

#include "gui/model/graph_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/model/layering.h"

namespace hypatia::gui {

namespace {

constexpr int deepest = 8;  // bodies in bodies; more can only be damage

class Builder {
 public:
  Builder(const Profile& profile, int function, bool down, const std::function<bool(int)>& open)
      : profile_(profile),
        function_(profile.functions[static_cast<std::size_t>(function)]),
        down_(down),
        open_(open) {
    for (int node = 0; node < function_.node_count; ++node)
      children_[parent_of(node)].push_back(node);
    for (const PlanRecord& plan : profile_.recording->plans())
      if (plan.function == function_.id)
        for (const BufferRecord& buffer : plan.buffers)
          bytes_[buffer.node] = std::max(bytes_[buffer.node], static_cast<double>(buffer.bytes));
  }

  /// The nodes whose body they are is `parent`; -1: the function's own.
  GraphLayout nodes_of(int parent, int depth) {
    GraphLayout layout;
    layout.down = down_;
    std::map<int, int> box_of;  // by node
    std::map<std::string, int> leaves;
    for (const int node : children_[parent]) {
      box_of.emplace(node, static_cast<int>(layout.boxes.size()));
      layout.boxes.push_back(box(node, depth));
    }
    std::map<std::pair<int, int>, int> known;
    for (const int node : children_[parent]) {
      for (const InputRecord& input : record(node).inputs) {
        const auto maker = box_of.find(input.node);
        const bool inner = maker != box_of.end();
        const int from = inner ? maker->second : leaf(layout, leaves, input);
        const int to = box_of[node];
        if (from != to && known.emplace(std::pair{from, to}, 0).second)
          layout.edges.push_back(edge(node, input, from, to, inner));
      }
    }
    set_places(layout);
    return layout;
  }

 private:
  const NodeRecord& record(int node) const {
    return function_.record->nodes[static_cast<std::size_t>(node)];
  }

  int parent_of(int node) const {
    const int parent = record(node).parent;
    return parent == node || parent >= function_.node_count ? -1 : std::max(parent, -1);
  }

  GraphBox box(int node, int depth) {
    GraphBox box;
    box.node = function_.first_node + node;
    box.name = record(node).name;
    if (!record(node).output_types.empty()) box.type = record(node).output_types[0];
    box.inside = body_size(profile_, box.node);
    if (box.inside == 0 || depth >= deepest || !open_(box.node)) {
      hide(node, depth, box.hidden);
      return box;
    }
    box.body.push_back(record(node).body.empty() ? nodes_of(node, depth + 1) : operations_of(node));
    const GraphLayout& body = box.body[0];
    box.deep = body.deep + body.before_layers() + GraphLayout::margin;
    box.tall = body.tall + body.before_rows() + GraphLayout::margin;
    return box;
  }

  void hide(int node, int depth, std::vector<int>& hidden) const {
    const auto inner = children_.find(node);
    if (inner == children_.end() || depth >= deepest) return;
    for (const int child : inner->second) {
      hidden.push_back(function_.first_node + child);
      hide(child, depth + 1, hidden);
    }
  }

  int leaf(GraphLayout& layout, std::map<std::string, int>& leaves, const InputRecord& input) {
    const bool made = input.node >= 0 && input.node < function_.node_count;
    const std::string& name = made ? record(input.node).name : input.name;
    const auto [found, fresh] = leaves.emplace(made ? std::to_string(input.node) : "=" + name, 0);
    if (!fresh) return found->second;
    found->second = static_cast<int>(layout.boxes.size());
    GraphBox box;
    box.name = name.empty() ? "input" : name;
    box.type = input.type;
    layout.boxes.push_back(std::move(box));
    return found->second;
  }

  GraphEdge edge(int node, const InputRecord& input, int from, int to, bool inner) const {
    GraphEdge edge{from, to, 0, record(node).side == Side::transfer, {}};
    // What enters a copy is as large as what leaves it.
    const auto size =
        bytes_.find(static_cast<std::uint32_t>(inner && !edge.crosses ? input.node : node));
    if (size != bytes_.end() && (inner || edge.crosses)) edge.bytes = size->second;
    return edge;
  }

  // What a fused node does for each element; its cost is shared among the operations by modelled
  // work.
  GraphLayout operations_of(int node) {
    const NodeRecord& fused = record(node);
    const auto inputs = static_cast<int>(fused.inputs.size());
    GraphLayout layout;
    layout.down = down_;
    double flops = 0;
    for (const BodyOpRecord& op : fused.body)
      flops += op.flops;
    for (std::size_t i = 0; i < fused.body.size(); ++i) {
      const BodyOpRecord& op = fused.body[i];
      GraphBox box;
      box.node = function_.first_node + node;
      box.op = static_cast<int>(i);
      box.name = op.op;
      box.share = flops > 0 ? op.flops / flops : 1.0 / static_cast<double>(fused.body.size());
      box.leaves = op.output >= 0;
      layout.boxes.push_back(std::move(box));
    }
    std::map<std::string, int> leaves;
    std::map<std::pair<int, int>, int> known;
    for (std::size_t i = 0; i < fused.body.size(); ++i) {
      for (const int value : fused.body[i].inputs) {
        const int from = value < inputs
                             ? leaf(layout, leaves, fused.inputs[static_cast<std::size_t>(value)])
                             : value - inputs;
        if (known.emplace(std::pair{from, static_cast<int>(i)}, 0).second)
          layout.edges.push_back({from, static_cast<int>(i), 0, false, {}});
      }
    }
    set_places(layout);
    return layout;
  }

  const Profile& profile_;
  const FunctionStats& function_;
  bool down_;
  const std::function<bool(int)>& open_;
  std::map<int, std::vector<int>> children_;
  std::map<std::uint32_t, double> bytes_;
};

}  // namespace

GraphLayout lay_out(
    const Profile& profile, int function, bool down, const std::function<bool(int node)>& open) {
  if (function < 0 || function >= static_cast<int>(profile.functions.size())) return {};
  return Builder(profile, function, down, open).nodes_of(-1, 0);
}

int body_size(const Profile& profile, int node) {
  const NodeStats& stats = profile.node(node);
  if (!stats.record->body.empty()) return static_cast<int>(stats.record->body.size());
  const FunctionStats& function = profile.functions[stats.id.function - 1];
  const auto own = static_cast<std::int32_t>(stats.id.node);
  if (own < 0) return 0;
  int count = 0;
  // Bodies stand after the function's own nodes, so the walk back ends soon.
  const std::vector<NodeRecord>& nodes = function.record->nodes;
  for (std::size_t i = nodes.size(); i-- > 0 && nodes[i].parent >= 0;)
    count += nodes[i].parent == own && i != stats.id.node;
  return count;
}

}  // namespace hypatia::gui
