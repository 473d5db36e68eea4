#pragma once
// Where the nodes of a function stand when its graph is drawn: in layers from left to right,
// ordered within each so that few edges cross. An open body is a drawing of its own inside its box.

#include <functional>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

struct GraphLayout;

/// A box of the drawing: an apply node, an operation of a fused one, or a leaf that is read.
/// Places and sizes are in cells: a closed box fills one, along the layers and along the rows.
struct GraphBox {
  int node = -1;  // position in Profile::nodes; -1: a leaf
  int op = -1;    // position in the node's body, for one of its operations
  std::string name;
  std::string type;
  double share = 1;         // of its node's cost; below 1 it is modelled
  bool leaves = false;      // an operation whose value leaves the body
  int inside = 0;           // how many nodes or operations its body holds
  std::vector<int> hidden;  // nodes of its closed body, by position; their costs count as its own
  int layer = 0;
  float at = 0, row = 0;          // where it begins
  float deep = 1, tall = 1;       // its size
  std::vector<GraphLayout> body;  // one if it is open
};

struct GraphEdge {
  /// Where an edge passes a layer between its ends: straight from `begin` to `end`.
  struct Bend {
    float begin = 0, end = 0, row = 0;
  };

  int from = 0, to = 0;  // positions in GraphLayout::boxes
  double bytes = 0;      // 0: unknown
  bool crosses = false;  // between host and device
  std::vector<Bend> bends;
};

struct GraphLayout {
  /// Room in an open box around its body, in cells; its name stands before the first row, or
  /// before the first layer if layers go down.
  static constexpr float margin = 0.08F, head_row = 0.5F, head_layer = 0.42F;

  bool down = false;  // layers go down; else to the right

  float before_layers() const { return down ? head_layer : margin; }

  float before_rows() const { return down ? margin : head_row; }

  std::vector<GraphBox> boxes;
  std::vector<GraphEdge> edges;
  float deep = 0, tall = 0;  // the whole drawing's size
};

/// Lays out one function, a position in Profile::functions, with layers to the right or `down`.
/// `open` says of a position in Profile::nodes whether its body is drawn.
GraphLayout lay_out(
    const Profile& profile, int function, bool down, const std::function<bool(int node)>& open);

/// How many nodes (of a scan) or operations (of a fused node) the body of a node holds.
int body_size(const Profile& profile, int node);

}  // namespace hypatia::gui
