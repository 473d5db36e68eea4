#pragma once
// Places a function's graph in layers, for pictures and for the GUI: every node lies below what it
// reads, and nodes of a layer are ordered so that few edges cross.

#include <cstdint>
#include <vector>

#include "engine/trace/records.h"

namespace hypatia {

struct PlacedNode {
  int layer = 0;     // from the top, 0
  int position = 0;  // in its layer, from the left, 0
};

struct GraphLayout {
  std::vector<PlacedNode> nodes;  // by position in FunctionRecord::nodes
  int layers = 0;
  int widest = 0;  // nodes of the fullest layer
};

/// Layers by the longest path, with what reads only leaves right above its first reader; then
/// rounds of ordering each layer by the middle of its neighbours.
GraphLayout lay_out(const FunctionRecord& function);

}  // namespace hypatia
