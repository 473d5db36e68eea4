#include "engine/rewrite/reductions.h"

#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/ops/compare.h"
#include "engine/ops/math.h"
#include "engine/ops/nnet.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// The x and axes of sum(exp(x)), if that is what v is and x may still be large.
bool summed_exp(const Variable& v, Variable* x, std::vector<int>* axes) {
  if (!is_op(v, sum_op) || !is_op(v.node().input(0), exp_op) || !is_float(v.dtype())) return false;
  *x = v.node().input(0).node().input(0);
  *axes = v.node().attrs().as<ReduceAttrs>().axes;
  // x - (the largest, or 0 where that is infinite): done already.
  const bool safe = is_op(*x, sub_op) && is_op(x->node().input(1), switch_op);
  return !safe && x->dtype() == v.dtype();
}

/// True if `v` is a reduction over `axes` put back to the rank that it came from.
bool keeps_axes(const Variable& v, const std::vector<int>& axes, int rank) {
  if (!is_op(v, dimshuffle_op) || v.ndim() != rank) return false;
  std::vector<int> pattern;
  int next = 0;
  for (int axis = 0; axis < rank; ++axis) {
    const bool gone = std::find(axes.begin(), axes.end(), axis) != axes.end();
    pattern.push_back(gone ? -1 : next++);
  }
  return v.node().attrs().as<DimShuffleAttrs>().pattern == pattern;
}

}  // namespace

Variable sum_of_scaled(const Match& match) {
  const Variable& x = match.node.input(0);
  const auto sum_over = [&](const Variable& v) {
    return apply(sum_op, {v}, match.node.attrs(), match.node.origin());
  };
  if (!is_float(x.dtype()) || match.node.type(0).dtype() != x.dtype()) return {};
  if (!is_op(x, mul_op)) return {};
  for (int i = 0; i < 2; ++i) {
    double factor = 0;
    const Variable& other = x.node().input(1 - i);
    if (!constant_number(x.node().input(i), &factor) || !other.type().same(x.type())) continue;
    const Variable sum = sum_over(other);
    return sum * constant(Array(factor).astype(x.dtype()), match.node.origin());
  }
  return {};
}

Variable log_of_summed_exp(const Match& match) {
  Variable x;
  std::vector<int> axes;
  if (!summed_exp(match.node.input(0), &x, &axes)) return {};
  return logsumexp(x, Axes(axes, false));
}

Variable exp_over_summed_exp(const Match& match) {
  const Variable &above = match.node.input(0), &below = match.node.input(1);
  if (!is_op(above, exp_op) || !is_op(below, dimshuffle_op)) return {};
  Variable x;
  std::vector<int> axes;
  if (!summed_exp(below.node().input(0), &x, &axes)) return {};
  if (!(x == above.node().input(0)) || !keeps_axes(below, axes, x.ndim())) return {};
  return axes.size() == 1 ? softmax(x, axes[0]) : Variable();
}

}  // namespace hypatia
