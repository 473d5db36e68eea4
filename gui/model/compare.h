#pragma once
// Two recordings beside each other, with the places of their nodes in the two profiles.

#include <string>
#include <vector>

#include "gui/model/match.h"
#include "profiler/analyze/compare.h"

namespace hypatia::gui {

/// Times are nanoseconds per call of the node's function.
struct ComparedNode : NodeChange {
  NodePair pair;
};

struct ComparedProfiles {
  std::vector<ComparedNode> nodes;  // the largest differences first
  double before = 0, after = 0;     // sums of all nodes
  std::string verdict;
};

/// `before` is the baseline.
ComparedProfiles compare(const Profile& before, const Profile& after);

}  // namespace hypatia::gui
