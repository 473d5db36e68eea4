#pragma once
// Sugiyama's method in three steps: longest-path layers, barycentre sweeps, rows pulled straight.

#include "gui/model/graph_layout.h"

namespace hypatia::gui {

/// Gives the boxes of a drawing their layers and places, its edges their bends, and it its size.
/// Boxes come with their sizes, nodes and operations in execution order.
void set_places(GraphLayout& layout);

}  // namespace hypatia::gui
