#pragma once
// Reductions: sum, prod, mean, max, min, any, all over some axes.

#include <vector>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

struct ReduceAttrs {
  std::vector<int> axes;  // sorted
  DType accumulator = DType::float64;

  auto fields() const { return std::tie(axes, accumulator); }
};

/// Which axes go, and whether they stay as broadcastable ones. No axes: all of them.
struct Axes {
  std::vector<int> axes;
  bool keepdims = false;

  Axes() = default;

  Axes(int axis) : axes{axis} {}  // NOLINT

  Axes(std::initializer_list<int> list) : axes(list) {}  // NOLINT

  Axes(std::vector<int> list, bool keep) : axes(std::move(list)), keepdims(keep) {}
};

/// A dtype, or the usual one.
struct DTypeOrUsual {
  DType dtype = DType::float64;
  bool given = false;

  DTypeOrUsual() = default;

  DTypeOrUsual(DType d) : dtype(d), given(true) {}  // NOLINT(google-explicit-constructor)
};

/// Dtypes of a reduction's result and of its running total, where the usual ones don't serve.
struct ReduceDTypes {
  DTypeOrUsual dtype = {}, acc_dtype = {};
};

/// Integers add up in int64 or uint64, bools in int64; float32 accumulates in float64 on the CPU.
Variable sum(Operand x, const Axes& axes = {}, const ReduceDTypes& dtypes = {});
Variable prod(Operand x, const Axes& axes = {}, const ReduceDTypes& dtypes = {});
/// sum / count; float32 stays float32, integers give float64.
Variable mean(Operand x, const Axes& axes = {}, const ReduceDTypes& dtypes = {});
/// The mean of squared distances from the mean, of n - ddof of them; std is its square root.
Variable var(Operand x, const Axes& axes = {}, int ddof = 0);
Variable std(Operand x, const Axes& axes = {}, int ddof = 0);
/// NaN if any element is.
Variable max(Operand x, const Axes& axes = {});
Variable min(Operand x, const Axes& axes = {});
Variable any(Operand x, const Axes& axes = {});
Variable all(Operand x, const Axes& axes = {});

extern const Op sum_op, prod_op, max_op, min_op, any_op, all_op;

/// Writes the value of a fold of nothing to an accumulator.
void start_fold(Reduction kind, DType accumulator, void* at);
/// Folds n values of the accumulator's dtype into it.
void fold_values(Reduction kind, DType accumulator, const void* values, std::int64_t n, void* at);
/// Axes of x that a reduction keeps.
std::vector<int> kept_axes(const ReduceAttrs& attrs, int rank);

}  // namespace hypatia
