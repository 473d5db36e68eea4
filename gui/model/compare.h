#pragma once
// Two recordings beside each other: for each node what changed, and whether that is more than
// noise.

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/match.h"

namespace hypatia::gui {

enum class Change : std::uint8_t { same, faster, slower, moved, added, removed };

const char* name(Change change);

/// One matched node; times are nanoseconds per call of its function.
struct ComparedNode {
  NodePair pair;
  Change change = Change::same;
  double before = 0, after = 0;
  bool noise = false;  // the difference is less than what calls differ by

  double difference() const { return after - before; }
};

struct Comparison {
  std::vector<ComparedNode> nodes;  // the largest differences first
  double before = 0, after = 0;     // sums of all nodes
  std::string verdict;
};

/// `before` is the baseline.
Comparison compare(const Profile& before, const Profile& after);

}  // namespace hypatia::gui
