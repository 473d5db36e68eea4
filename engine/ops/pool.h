#pragma once
// Pooling: the largest element or the mean of windows over images, and their transposes.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// Windows over the last two axes; those that reach over the border are left out.
struct PoolOptions {
  int rows = 2, columns = 2;
  /// 0: the window's own size, so that windows don't overlap.
  int row_stride = 0, column_stride = 0;
  /// "max" or "average".
  std::string mode = "max";
};

/// Images (batch, channels, rows, columns), a window as one element. Where several elements are
/// largest, the first gets the gradient.
Variable pool_2d(Operand images, const PoolOptions& options = {}, Origin at = Origin::here());

struct PoolAttrs {
  int rows = 2, columns = 2, row_stride = 2, column_stride = 2;

  auto fields() const { return std::tie(rows, columns, row_stride, column_stride); }
};

/// pick: elements of the second operand where the first is largest in its window; spread: a value
/// for each window put there. Those of the mean take the image's sizes as inputs 1 and 2.
extern const Op pool_max_op, pool_pick_op, pool_spread_op, pool_mean_op, pool_mean_spread_op;

}  // namespace hypatia
