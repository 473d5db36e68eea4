#pragma once
// Calls that a device answers with a library: matrix products now, convolutions beside them.

#include <cstdint>

#include "engine/core/dtype.h"

namespace hypatia {

/// c = alpha · a·b + beta · c over batches. Strides are in elements and per axis, so that
/// transposes and sub-matrices need no copy; float32 or float64. Addresses are the device's.
struct MatrixProduct {
  DType dtype = DType::float32;
  std::int64_t m = 1, n = 1, k = 1;  // a is m×k, b is k×n, c is m×n
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t a_row = 0, a_column = 1, b_row = 0, b_column = 1, c_row = 0, c_column = 1;
  std::int64_t batches = 1, a_batch = 0, b_batch = 0, c_batch = 0;
  double alpha = 1, beta = 0;
};

}  // namespace hypatia
