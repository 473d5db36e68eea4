#pragma once
// Where the nodes of a function stand when its graph is drawn: in layers from left to right,
// ordered within each so that few edges cross.

#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// A box of the drawing: an apply node, or a leaf that is read.
struct GraphBox {
  int node = -1;  // position in Profile::nodes; -1: a leaf
  std::string name;
  std::string type;
  int layer = 0;
  float row = 0;      // in rows; boxes of one layer are at least 1 apart
  bool body = false;  // belongs to the body of another node
  int inside = 0;     // how many nodes its closed body holds
};

struct GraphEdge {
  int from = 0, to = 0;     // positions in GraphLayout::boxes
  double bytes = 0;         // 0: unknown
  bool crosses = false;     // between host and device
  std::vector<float> rows;  // where it passes the layers between, one row each
};

struct GraphLayout {
  std::vector<GraphBox> boxes;
  std::vector<GraphEdge> edges;
  int layers = 0;
  float rows = 0;  // height of the tallest layer
};

/// Lays out one function, a position in Profile::functions; bodies are drawn only if `open_bodies`.
GraphLayout lay_out(const Profile& profile, int function, bool open_bodies);

}  // namespace hypatia::gui
