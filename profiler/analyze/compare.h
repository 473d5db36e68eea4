#pragma once
// Two recordings side by side, node by node: what was added, removed, merged into another kernel,
// moved to another device, or became faster or slower by more than chance.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/analyze/account.h"

namespace hypatia {

enum class Change : std::uint8_t { same, faster, slower, moved, fused, split, added, removed };

const char* name(Change change);

struct NodeChange {
  Change change = Change::same;
  std::string name;  // of the node before, else after
  std::optional<NodeId> before, after;
  double time_before = 0, time_after = 0;  // nanoseconds of work per call of the function
  double spread = 0;                       // nanoseconds that the times differ by from call to call

  double difference() const { return time_after - time_before; }
};

struct FunctionChange {
  std::string name;
  std::uint32_t before = 0, after = 0;         // ids; 0: not there
  double median_before = 0, median_after = 0;  // nanoseconds per call
  double spread = 0;
  std::int64_t calls = 0;         // of the recording with fewer
  std::vector<NodeChange> nodes;  // by falling difference, either way; of a lone function too

  /// False where the calls are too few to tell chance from change: the first of a run is not like
  /// the others.
  bool enough_calls() const { return calls >= 3; }

  /// True if the calls' medians differ by more than their spread, or by a factor of two.
  bool differs() const;
};

struct Comparison {
  std::vector<FunctionChange> functions;
};

/// Functions and nodes are matched as match_functions does.
Comparison compare(const Recording& before, const Recording& after);
/// The same of accounts that are made already.
Comparison compare(
    const Recording& before,
    const Account& spent_before,
    const Recording& after,
    const Account& spent_after);

}  // namespace hypatia
