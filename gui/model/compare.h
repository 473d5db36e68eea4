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
  std::string verdict;              // of the function that takes most of the time
};

/// `before` is the baseline.
ComparedProfiles compare(const Profile& before, const Profile& after);

}  // namespace hypatia::gui
