#pragma once
// Parts of buffers whose place is known at the call, or at a loop's trip.

#include <cstdint>

#include "engine/expr/op.h"

namespace hypatia {

/// Where a window begins on its base: found before each call by the node's lowering.
struct Shift {
  const Apply* node = nullptr;
  Layout layout;  // of the base
};

/// Where a moving row is on its base, in elements: at first + stride · trip, or at the row of a
/// ring of `rows` rows, the first trip being at row `row`.
struct Move {
  DType dtype = DType::float64;
  std::int64_t first = 0, stride = 0;
  std::int64_t row = 0, rows = 0;

  std::int64_t at(std::int64_t trip) const {
    return first + stride * (rows > 0 ? (row + trip) % rows : trip);
  }
};

}  // namespace hypatia
