#pragma once
// The chain of work that decided how long one call took, and what the call would take if pieces of
// that chain were faster.

#include <cstdint>
#include <vector>

#include "profiler/analyze/parts.h"
#include "profiler/record/recording.h"

namespace hypatia {

/// A stretch of the path: [begin, end) is on the chain because of this event.
struct PathPiece {
  std::int64_t begin = 0, end = 0;
  Wall cause = Wall::outside;
  std::uint32_t step = 0;
  std::uint16_t lane = 0;
};

struct CriticalPath {
  std::uint32_t call = 0;
  std::vector<PathPiece> pieces;  // in order of time, without holes
  WallTimes times;

  std::int64_t length() const {
    return pieces.empty() ? 0 : pieces.back().end - pieces.front().begin;
  }
};

/// The path of one call; empty if the call was not recorded.
CriticalPath critical_path(const Recording& recording, std::uint32_t call);

/// The recorded call of a function whose length is the median; 0 if there is none.
std::uint32_t median_call(const Recording& recording, std::uint32_t function);

}  // namespace hypatia
