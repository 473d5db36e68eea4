#pragma once
// One pass over the rows of a matrix that does several things with each block of rows while it is
// in the nearest cache.

#include "engine/device/kernel.h"
#include "engine/device/library.h"

namespace hypatia {

/// A matrix-vector product (n is 1, rows and vectors without gaps), the compiled loop that reads
/// its results, and the transposed product with what the loop writes. All float32 or float64.
struct RowPass {
  MatrixProduct product;
  const Kernel* loop = nullptr;
  void* const* arguments = nullptr;
  bool by_chunk = false;  // the loop counts blocks, not rows
  std::int64_t block = 16;
  std::int64_t parts = 1;  // of the rows, which threads share
  MatrixProduct back;
  void* partials = nullptr;  // back.m elements a part; null: there is no transposed product
};

void run_row_pass(const RowPass& pass);

}  // namespace hypatia
