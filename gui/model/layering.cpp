// A box is one point, a long edge a chain of points; ordering and straightening see only points.

#include "gui/model/layering.h"

#include <algorithm>
#include <utility>

namespace hypatia::gui {

namespace {

struct Point {
  int layer = 0;
  float row = 0;  // where it begins
  float tall = 1;
  std::vector<int> before, after;

  float middle() const { return row + tall / 2; }
};

// When a box's work is done; edges lead to later ones.
int turn(const GraphBox& box) {
  return box.op >= 0 ? box.op : box.node;
}

class Layering {
 public:
  explicit Layering(GraphLayout& layout) : layout_(layout) {}

  void run() {
    set_layers();
    add_points();
    order();
    straighten();
    hand_over();
  }

 private:
  GraphBox& box(int position) { return layout_.boxes[static_cast<std::size_t>(position)]; }

  Point& point(int position) { return points_[static_cast<std::size_t>(position)]; }

  // Longest path from the leaves. Nodes come in execution order, so one pass does; what is damaged
  // and points forward is drawn backward.
  void set_layers() {
    for (const GraphEdge& edge : layout_.edges)
      if (turn(box(edge.from)) < turn(box(edge.to)))
        box(edge.to).layer = std::max(box(edge.to).layer, box(edge.from).layer + 1);
    // A leaf stands right before its first reader.
    std::vector<int> first(layout_.boxes.size(), 1 << 30);
    for (const GraphEdge& edge : layout_.edges) {
      int& least = first[static_cast<std::size_t>(edge.from)];
      least = std::min(least, box(edge.to).layer);
    }
    int layers = 0;
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
      GraphBox& box = layout_.boxes[i];
      if (box.node < 0 && first[i] < 1 << 30) box.layer = std::max(0, first[i] - 1);
      layers = std::max(layers, box.layer + 1);
    }
    columns_.resize(static_cast<std::size_t>(layers));
  }

  int add_point(int layer, float tall) {
    points_.push_back({layer, 0, tall, {}, {}});
    return static_cast<int>(points_.size()) - 1;
  }

  void connect(int from, int to) {
    point(from).after.push_back(to);
    point(to).before.push_back(from);
  }

  void add_points() {
    for (const GraphBox& box : layout_.boxes)
      add_point(box.layer, box.tall);
    for (const GraphEdge& edge : layout_.edges) {
      int last = edge.from;
      const int end = box(edge.to).layer;
      std::vector<int>& bends = bends_.emplace_back();
      // Very large graphs go without bends: their edges are drawn straight.
      for (int layer = box(edge.from).layer + 1; layer < end && points_.size() < 40'000; ++layer) {
        const int bend = add_point(layer, 1);
        connect(last, bend);
        bends.push_back(bend);
        last = bend;
      }
      connect(last, edge.to);
    }
    for (int i = 0; i < static_cast<int>(points_.size()); ++i)
      columns_[static_cast<std::size_t>(point(i).layer)].push_back(i);
    for (const std::vector<int>& column : columns_)
      number(column);
  }

  void number(const std::vector<int>& column) {
    float row = 0;
    for (const int id : column) {
      point(id).row = row;
      row += point(id).tall;
    }
  }

  float mean(const std::vector<int>& neighbours, float otherwise) {
    if (neighbours.empty()) return otherwise;
    float sum = 0;
    for (const int neighbour : neighbours)
      sum += point(neighbour).middle();
    return sum / static_cast<float>(neighbours.size());
  }

  void order() {
    const int sweeps = points_.size() < 5000 ? 12 : 3;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t step = 0; step < columns_.size(); ++step) {
        std::vector<int>& column = columns_[forward ? step : columns_.size() - 1 - step];
        std::vector<std::pair<float, int>> keyed;
        for (const int id : column)
          keyed.emplace_back(
              mean(forward ? point(id).before : point(id).after, point(id).middle()), id);
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
      for (std::size_t step = 0; step < columns_.size(); ++step)
        settle(columns_[forward ? step : columns_.size() - 1 - step]);
    }
  }

  // The rows nearest to the wanted ones without overlap: points that collide share their mean.
  void settle(const std::vector<int>& column) {
    struct Block {
      float sum;  // of where its first point is wanted, as each of its points sees it
      float tall;
      int count;

      float top() const { return sum / static_cast<float>(count); }
    };

    std::vector<Block> blocks;
    for (const int id : column) {
      std::vector<int> both = point(id).before;
      both.insert(both.end(), point(id).after.begin(), point(id).after.end());
      Block block{mean(both, point(id).middle()) - point(id).tall / 2, point(id).tall, 1};
      while (!blocks.empty() && blocks.back().top() + blocks.back().tall > block.top()) {
        const Block upper = blocks.back();
        blocks.pop_back();
        block.sum = upper.sum + block.sum - static_cast<float>(block.count) * upper.tall;
        block.tall += upper.tall;
        block.count += upper.count;
      }
      blocks.push_back(block);
    }
    std::size_t at = 0;
    for (const Block& block : blocks) {
      float row = block.top();
      for (int i = 0; i < block.count; ++i) {
        Point& next = point(column[at++]);
        next.row = row;
        row += next.tall;
      }
    }
  }

  void hand_over() {
    std::vector<float> deep(columns_.size(), 1.0F), start;
    for (const GraphBox& box : layout_.boxes) {
      float& most = deep[static_cast<std::size_t>(box.layer)];
      most = std::max(most, box.deep);
    }
    for (const float size : deep) {
      start.push_back(layout_.deep);
      layout_.deep += size;
    }
    float least = 1e9F, most = -1e9F;
    for (const Point& point : points_) {
      least = std::min(least, point.row);
      most = std::max(most, point.row + point.tall);
    }
    layout_.tall = points_.empty() ? 0 : most - least;
    for (std::size_t i = 0; i < layout_.boxes.size(); ++i) {
      GraphBox& box = layout_.boxes[i];
      const auto layer = static_cast<std::size_t>(box.layer);
      box.row = points_[i].row - least;
      box.at = start[layer] + (deep[layer] - box.deep) / 2;
    }
    for (std::size_t e = 0; e < layout_.edges.size(); ++e)
      for (const int bend : bends_[e]) {
        const auto layer = static_cast<std::size_t>(point(bend).layer);
        layout_.edges[e].bends.push_back(
            {start[layer], start[layer] + deep[layer] - 1, point(bend).row - least});
      }
  }

  GraphLayout& layout_;
  std::vector<Point> points_;
  std::vector<std::vector<int>> bends_, columns_;
};

}  // namespace

void set_places(GraphLayout& layout) {
  Layering(layout).run();
}

}  // namespace hypatia::gui
