#pragma once
// Rewrites a product with any strides into what BLAS's column-major routines take.

#include "engine/device/library.h"

namespace hypatia {

/// C = op(A)·op(B) by columns, C without transpose; the batch stride of C is the product's.
struct ColumnMajor {
  bool possible = false;  // false where an operand has no axis of stride 1, or a size passes 2^31
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  std::int64_t lda = 0, ldb = 0, ldc = 0, a_batch = 0, b_batch = 0;
};

ColumnMajor column_major(const MatrixProduct& product);

}  // namespace hypatia
