// Sugiyama's method in three steps: longest-path layers, barycentre sweeps, rows pulled straight.

#include "gui/model/graph_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace hypatia::gui {

namespace {

/// A box or a bend of a long edge, as ordering sees them.
struct Point {
  int layer = 0;
  float row = 0;
  std::vector<int> before, after;
};

class Builder {
 public:
  Builder(const Profile& profile, int function, bool open_bodies)
      : profile_(profile),
        function_(profile.functions[static_cast<std::size_t>(function)]),
        open_(open_bodies) {}

  GraphLayout build() {
    add_boxes();
    add_edges();
    set_layers();
    add_points();
    order();
    straighten();
    hand_over();
    return std::move(layout_);
  }

 private:
  const NodeRecord& record(int node) const {
    return function_.record->nodes[static_cast<std::size_t>(node)];
  }

  // The node whose box stands for `node`: itself, or what it is closed into.
  int shown(int node) const {
    for (int depth = 0; !open_ && depth < 100; ++depth) {
      const int parent = record(node).parent;
      if (parent < 0 || parent >= function_.node_count || parent == node) break;
      node = parent;
    }
    return node;
  }

  void add_boxes() {
    box_of_.assign(static_cast<std::size_t>(function_.node_count), -1);
    for (int node = 0; node < function_.node_count; ++node) {
      if (shown(node) != node) continue;
      box_of_[static_cast<std::size_t>(node)] = static_cast<int>(layout_.boxes.size());
      GraphBox box;
      box.node = function_.first_node + node;
      box.name = record(node).name;
      box.body = record(node).parent >= 0;
      if (!record(node).output_types.empty()) box.type = record(node).output_types[0];
      layout_.boxes.push_back(std::move(box));
    }
    for (int node = 0; node < function_.node_count; ++node)
      if (const int outer = shown(node); outer != node) {
        const int box = box_of_[static_cast<std::size_t>(outer)];
        box_of_[static_cast<std::size_t>(node)] = box;
        if (box >= 0) ++layout_.boxes[static_cast<std::size_t>(box)].inside;
      }
    for (const PlanRecord& plan : profile_.recording->plans())
      if (plan.function == function_.id)
        for (const BufferRecord& buffer : plan.buffers)
          bytes_[buffer.node] = std::max(bytes_[buffer.node], static_cast<double>(buffer.bytes));
  }

  int leaf(const InputRecord& input) {
    const auto [found, fresh] = leaves_.emplace(input.name, static_cast<int>(layout_.boxes.size()));
    if (fresh) {
      GraphBox box;
      box.name = input.name.empty() ? "input" : input.name;
      box.type = input.type;
      layout_.boxes.push_back(std::move(box));
    }
    return found->second;
  }

  void add_edges() {
    std::map<std::pair<int, int>, int> known;
    for (int node = 0; node < function_.node_count; ++node) {
      const int to = box_of_[static_cast<std::size_t>(node)];
      for (const InputRecord& input : record(node).inputs) {
        const bool from_node = input.node >= 0 && input.node < function_.node_count;
        const int from = from_node ? box_of_[static_cast<std::size_t>(input.node)] : leaf(input);
        if (from < 0 || to < 0 || from == to || !known.emplace(std::pair{from, to}, 0).second)
          continue;
        GraphEdge edge{from, to, 0, false, {}};
        edge.crosses = record(node).side == Side::transfer;
        // What enters a copy is as large as what leaves it.
        const auto size =
            bytes_.find(static_cast<std::uint32_t>(from_node && !edge.crosses ? input.node : node));
        if (size != bytes_.end() && (from_node || edge.crosses)) edge.bytes = size->second;
        layout_.edges.push_back(std::move(edge));
      }
    }
  }

  // Longest path from the leaves. Nodes come in execution order, so one pass does; what is damaged
  // and points forward is drawn backward.
  void set_layers() {
    for (const GraphEdge& edge : layout_.edges) {
      GraphBox& to = layout_.boxes[static_cast<std::size_t>(edge.to)];
      const GraphBox& from = layout_.boxes[static_cast<std::size_t>(edge.from)];
      if (from.node < to.node) to.layer = std::max(to.layer, from.layer + 1);
    }
    // A leaf stands right before its first reader.
    std::vector<int> first(layout_.boxes.size(), 1 << 30);
    for (const GraphEdge& edge : layout_.edges)
      first[static_cast<std::size_t>(edge.from)] = std::min(
          first[static_cast<std::size_t>(edge.from)],
          layout_.boxes[static_cast<std::size_t>(edge.to)].layer);
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i)
      if (layout_.boxes[i].node < 0 && first[i] < 1 << 30)
        layout_.boxes[i].layer = std::max(0, first[i] - 1);
    for (const GraphBox& box : layout_.boxes)
      layout_.layers = std::max(layout_.layers, box.layer + 1);
  }

  int add_point(int layer) {
    points_.push_back({layer, 0, {}, {}});
    return static_cast<int>(points_.size()) - 1;
  }

  void connect(int from, int to) {
    points_[static_cast<std::size_t>(from)].after.push_back(to);
    points_[static_cast<std::size_t>(to)].before.push_back(from);
  }

  void add_points() {
    for (const GraphBox& box : layout_.boxes)
      add_point(box.layer);
    for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
      const GraphEdge& edge = layout_.edges[e];
      int last = edge.from;
      const int end = layout_.boxes[static_cast<std::size_t>(edge.to)].layer;
      bends_.emplace_back();
      // Very large graphs go without bends: their edges are drawn straight.
      for (int layer = layout_.boxes[static_cast<std::size_t>(edge.from)].layer + 1;
           layer < end && points_.size() < 40'000;
           ++layer) {
        const int bend = add_point(layer);
        connect(last, bend);
        bends_[e].push_back(bend);
        last = bend;
      }
      connect(last, edge.to);
    }
    columns_.resize(static_cast<std::size_t>(layout_.layers));
    for (int i = 0; i < static_cast<int>(points_.size()); ++i)
      columns_[static_cast<std::size_t>(points_[static_cast<std::size_t>(i)].layer)].push_back(i);
    for (std::vector<int>& column : columns_)
      number(column);
  }

  void number(const std::vector<int>& column) {
    float row = 0;
    for (const int point : column)
      points_[static_cast<std::size_t>(point)].row = row++;
  }

  float mean(const std::vector<int>& neighbours, float otherwise) const {
    if (neighbours.empty()) return otherwise;
    float sum = 0;
    for (const int neighbour : neighbours)
      sum += points_[static_cast<std::size_t>(neighbour)].row;
    return sum / static_cast<float>(neighbours.size());
  }

  void order() {
    const int sweeps = points_.size() < 5000 ? 12 : 3;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t step = 0; step < columns_.size(); ++step) {
        std::vector<int>& column = columns_[forward ? step : columns_.size() - 1 - step];
        std::vector<std::pair<float, int>> keyed;
        for (const int id : column) {
          const Point& point = points_[static_cast<std::size_t>(id)];
          keyed.emplace_back(mean(forward ? point.before : point.after, point.row), id);
        }
        std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
          return a.first < b.first;
        });
        for (std::size_t i = 0; i < column.size(); ++i)
          column[i] = keyed[i].second;
        number(column);
      }
    }
  }

  // Pulls each point towards its neighbours without changing the order within a layer.
  void straighten() {
    const int sweeps = points_.size() < 5000 ? 16 : 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t step = 0; step < columns_.size(); ++step) {
        const std::vector<int>& column = columns_[forward ? step : columns_.size() - 1 - step];
        std::vector<float> wanted;
        for (const int id : column) {
          const Point& point = points_[static_cast<std::size_t>(id)];
          std::vector<int> both = point.before;
          both.insert(both.end(), point.after.begin(), point.after.end());
          wanted.push_back(mean(both, point.row));
        }
        place(column, wanted);
      }
    }
  }

  // The rows nearest to the wanted ones with a distance of 1: blocks that collide share their mean.
  void place(const std::vector<int>& column, const std::vector<float>& wanted) {
    struct Block {
      float sum;
      int count;

      float top() const { return sum / static_cast<float>(count); }
    };

    std::vector<Block> blocks;
    for (std::size_t i = 0; i < column.size(); ++i) {
      Block block{wanted[i], 1};
      while (!blocks.empty() &&
             blocks.back().top() + static_cast<float>(blocks.back().count) > block.top()) {
        const Block upper = blocks.back();
        blocks.pop_back();
        block.sum = upper.sum + block.sum - static_cast<float>(block.count * upper.count);
        block.count += upper.count;
      }
      blocks.push_back(block);
    }
    std::size_t at = 0;
    for (const Block& block : blocks)
      for (int i = 0; i < block.count; ++i)
        points_[static_cast<std::size_t>(column[at++])].row = block.top() + static_cast<float>(i);
  }

  void hand_over() {
    float least = 0, most = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      least = i == 0 ? points_[i].row : std::min(least, points_[i].row);
      most = i == 0 ? points_[i].row : std::max(most, points_[i].row);
    }
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i)
      layout_.boxes[i].row = points_[i].row - least;
    for (std::size_t e = 0; e < layout_.edges.size(); ++e)
      for (const int bend : bends_[e])
        layout_.edges[e].rows.push_back(points_[static_cast<std::size_t>(bend)].row - least);
    layout_.rows = points_.empty() ? 0 : most - least + 1;
  }

  const Profile& profile_;
  const FunctionStats& function_;
  bool open_;
  GraphLayout layout_;
  std::vector<int> box_of_;
  std::map<std::uint32_t, double> bytes_;
  std::map<std::string, int> leaves_;
  std::vector<Point> points_;
  std::vector<std::vector<int>> bends_, columns_;
};

}  // namespace

GraphLayout lay_out(const Profile& profile, int function, bool open_bodies) {
  if (function < 0 || function >= static_cast<int>(profile.functions.size())) return {};
  return Builder(profile, function, open_bodies).build();
}

}  // namespace hypatia::gui
