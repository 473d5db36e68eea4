#pragma once
// Sorted values, running sums and products, and where the largest elements are.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// Ascending along an axis, NaN last; equal elements keep their order.
Variable sort(Operand x, int axis = -1);
/// The int64 indices that sort.
Variable argsort(Operand x, int axis = -1);
/// The k largest along an axis, largest first; and their indices.
Variable topk(Operand x, int k, int axis = -1);
Variable argtopk(Operand x, int k, int axis = -1);
Variable cumsum(Operand x, int axis = 0);
Variable cumprod(Operand x, int axis = 0);
/// The first place of the largest (NaN counts as largest), int64; flattened without an axis.
Variable argmax(Operand x);
Variable argmax(Operand x, int axis, bool keepdims = false);
Variable argmin(Operand x);
Variable argmin(Operand x, int axis, bool keepdims = false);
/// The largest along an axis and its first place.
Vars max_and_argmax(Operand x, int axis);
/// For each value its place in a sorted vector: before equal elements, or after them.
Variable searchsorted(Operand sorted, Operand values, bool right = false);

struct SideAttrs {
  bool right = false;

  auto fields() const { return std::tie(right); }
};

extern const Op sort_op, argsort_op, cumsum_op, cumprod_op, searchsorted_op;

}  // namespace hypatia
