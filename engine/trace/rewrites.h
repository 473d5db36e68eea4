#pragma once
// What a recording says of how a function's graph was rewritten: its passes, and in each the rules
// that fired with what they cost and save.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/origin.h"

namespace hypatia {

/// One application of a rule; the costs are of one run of the nodes that it takes away and of those
/// that it puts there.
struct RewriteStory {
  std::string rule;
  std::string before, after;  // the expressions, cut at a few levels
  double flops_before = 0, flops_after = 0;
  double bytes_before = 0, bytes_after = 0;
  Origin origin;  // the user's line
};

/// One pass over a function's graph.
struct PassStory {
  std::uint32_t function = 0;
  std::string name;
  double seconds = 0;
  std::int32_t nodes_before = 0, nodes_after = 0;
  std::int64_t rewrite_count = 0;      // all of them …
  std::vector<RewriteStory> rewrites;  // … and the first thousands one by one
};

}  // namespace hypatia
