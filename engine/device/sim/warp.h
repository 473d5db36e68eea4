#pragma once
// The arithmetic of warp operations: what each lane brings, and what each takes away.

#include <array>
#include <cstdint>

#include "engine/device/sim/abi.h"

namespace hypatia::sim {

/// The lanes that take part in one operation.
struct Lanes {
  std::uint32_t mask = 0;
  std::array<std::uint64_t, 32> value;  // of the lanes of `mask`, like the others
  std::array<std::int32_t, 32> operand;
  std::array<std::uint64_t, 32> result;

  /// Fills `result` for the lanes of `mask`. A shuffle from a lane that takes no part gives the
  /// reader its own value.
  void run(WarpOp op);
};

}  // namespace hypatia::sim
