#pragma once
// The inner loops of matrix products, for the vector unit at hand.

#include <cstdint>

namespace hypatia {

/// y = alpha · a·x + beta · y, where x has no gaps. Strides in elements; with beta 0 the old y is
/// not read.
template <class T>
struct VectorProduct {
  const T* a;
  std::int64_t a_row, a_column;
  const T* x;
  T* y;
  std::int64_t y_step;
  std::int64_t k;  // elements of x
  T alpha, beta;
};

/// c = alpha · a·b + beta · c of any strides.
template <class T>
struct BlockProduct {
  const T* a;
  const T* b;
  T* c;
  std::int64_t a_row, a_column, b_row, b_column, c_row, c_column;
  std::int64_t k;
  T alpha, beta;
};

template <class T>
struct ProductKernels {
  /// Elements [first, last) of y; a's rows have no gaps (a_column is 1).
  void (*by_rows)(const VectorProduct<T>& p, std::int64_t first, std::int64_t last);
  /// Elements [first, last) of y; a's columns have no gaps (a_row is 1).
  void (*by_columns)(const VectorProduct<T>& p, std::int64_t first, std::int64_t last);
  /// y += columns [first, last) of a, times their elements of x; neither a's columns nor y have
  /// gaps. alpha and beta are left out.
  void (*add_columns)(
      const VectorProduct<T>& p, std::int64_t count, std::int64_t first, std::int64_t last);
  /// Elements [first, last) of y, each the sum of a column of a, which has k rows without gaps; x
  /// is left out.
  void (*sum_columns)(const VectorProduct<T>& p, std::int64_t first, std::int64_t last);
  /// The block [row, row_end) × [column, column_end) of c.
  void (*block)(
      const BlockProduct<T>& p,
      std::int64_t row,
      std::int64_t row_end,
      std::int64_t column,
      std::int64_t column_end);
};

/// The kernels for this machine; T is float or double.
template <class T>
const ProductKernels<T>& product_kernels();

}  // namespace hypatia
