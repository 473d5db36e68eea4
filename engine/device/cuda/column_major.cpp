#include "engine/device/cuda/column_major.h"

#include <algorithm>

namespace hypatia {

namespace {

/// An operand seen by columns: as it is, or transposed.
struct Seen {
  bool possible = false, transposed = false;
  std::int64_t leading = 1;
};

// Strides of an axis of size 1 mean nothing, so that any are accepted there.
Seen seen(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t column) {
  if ((rows == 1 || row == 1) && (columns == 1 || column >= rows)) {
    return {true, false, columns == 1 ? std::max<std::int64_t>(rows, 1) : column};
  }
  if ((columns == 1 || column == 1) && (rows == 1 || row >= columns)) {
    return {true, true, rows == 1 ? std::max<std::int64_t>(columns, 1) : row};
  }
  return {};
}

MatrixProduct transposed(const MatrixProduct& p) {
  MatrixProduct t = p;
  t.m = p.n;
  t.n = p.m;
  t.a = p.b;
  t.b = p.a;
  t.a_row = p.b_column;
  t.a_column = p.b_row;
  t.b_row = p.a_column;
  t.b_column = p.a_row;
  t.c_row = p.c_column;
  t.c_column = p.c_row;
  t.a_batch = p.b_batch;
  t.b_batch = p.a_batch;
  return t;
}

}  // namespace

ColumnMajor column_major(const MatrixProduct& product) {
  // A row-major c is the column-major transpose: cᵀ = bᵀ·aᵀ.
  MatrixProduct p = product;
  if (seen(p.m, p.n, p.c_row, p.c_column).transposed) p = transposed(product);
  const Seen a = seen(p.m, p.k, p.a_row, p.a_column);
  const Seen b = seen(p.k, p.n, p.b_row, p.b_column);
  const Seen c = seen(p.m, p.n, p.c_row, p.c_column);
  constexpr std::int64_t most = 0x7fffffff;  // cuBLAS counts in int
  const bool fits = std::max({p.m, p.n, p.k, a.leading, b.leading, c.leading, p.batches}) <= most;
  return {
      a.possible && b.possible && c.possible && !c.transposed && fits,
      a.transposed,
      b.transposed,
      p.m,
      p.n,
      p.k,
      p.a,
      p.b,
      a.leading,
      b.leading,
      c.leading,
      p.a_batch,
      p.b_batch,
  };
}

}  // namespace hypatia
