#pragma once
// Which function and node of one recording is which of another.

#include <cstdint>
#include <vector>

#include "profiler/record/recording.h"

namespace hypatia {

/// Positions of a node in its function, in execution order; -1: only the other has it.
struct PositionPair {
  std::int32_t before = -1, after = -1;
};

struct FunctionPair {
  std::uint32_t before = 0, after = 0;  // ids; 0: only the other recording has it
  std::vector<PositionPair> nodes;      // each node of both once; those before in their order first
};

/// Each function of both once. Functions are matched by name, and two lone ones by being alone;
/// nodes by the structure of the graph above them, then by op and result type.
std::vector<FunctionPair> match_functions(const Recording& before, const Recording& after);

}  // namespace hypatia
