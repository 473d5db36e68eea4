#pragma once
// The second stage of accounting: every moment of the recording is credited to one thing.

#include <vector>

#include "profiler/analyze/account.h"

namespace hypatia {

/// Credits by owner; together with `outside` they sum to the recording's length.
struct WallCredits {
  std::vector<WallTimes> steps;      // by step id - 1
  std::vector<WallTimes> functions;  // by id - 1: what no step of theirs got
  WallTimes outside;
};

/// At every moment the first of kernel, transfer, sync, launch, compile, host, call gets it; of
/// several the one that began first.
WallCredits credit_wall(const Recording& recording);

}  // namespace hypatia
