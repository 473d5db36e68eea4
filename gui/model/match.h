#pragma once
// Which node of one profile is which of another.

#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// Positions in the two profiles' nodes; -1: only the other has it.
struct NodePair {
  int left = -1, right = -1;
};

/// Every node of both once, matched by the structure of its graph, so that a node that moved to the
/// GPU is found; those of `left` in their order, then what only `right` has.
std::vector<NodePair> match_nodes(const Profile& left, const Profile& right);

}  // namespace hypatia::gui
