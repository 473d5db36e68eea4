#pragma once
// Which node of one recording is which of another: by function, op and order, so that a node that
// moved to the GPU is still found.

#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// Positions in the two profiles' nodes; -1: only the other has it.
struct NodePair {
  int left = -1, right = -1;
};

/// Every node of both once; those of `left` in their order, then what only `right` has.
std::vector<NodePair> match_nodes(const Profile& left, const Profile& right);

}  // namespace hypatia::gui
