#pragma once
// Ops on shape: axes inserted, permuted and dropped, and sizes as values.

#include <vector>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

struct DimShuffleAttrs {
  std::vector<int> pattern;  // input axes in order; -1: a new broadcastable axis

  auto fields() const { return std::tie(pattern); }
};

struct AxisAttrs {
  int axis = 0;

  auto fields() const { return std::tie(axis); }
};

/// Keeps, permutes or inserts axes; drops only broadcastable ones. A view.
Variable dimshuffle(Operand x, const std::vector<int>& pattern);
/// All axes reversed, or permuted.
Variable transpose(Operand x);
Variable transpose(Operand x, const std::vector<int>& axes);
/// Broadcastable axes added on the left up to `rank`.
Variable pad_left(const Variable& x, int rank, Origin at);
/// The size of one axis: int64, 0-d.
Variable shape_i(Operand x, int axis);
/// The first of two sizes; throws Error where they differ.
Variable same_size(Operand a, Operand b);
/// A negative axis counted from the end; throws Error beyond the rank.
int normal_axis(int axis, int rank, std::string_view op);
/// The same of an axis of x, with x in the error.
int normal_axis(int axis, const Operand& x, std::string_view op);

extern const Op dimshuffle_op, shape_i_op, same_size_op;

}  // namespace hypatia
