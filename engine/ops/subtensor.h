#pragma once
// Parts of arrays: slices and numbers as views, arrays of indices and masks as gathers, and values
// with a part replaced or added to.

#include <vector>

#include "engine/expr/index.h"
#include "engine/expr/op.h"

namespace hypatia {

/// What an indexed axis has; one with none of them is a number.
inline constexpr int is_slice = 1, has_start = 2, has_stop = 4;

/// One entry an indexed axis; bounds that are given come as inputs, in order.
struct SubtensorAttrs {
  std::vector<int> kinds;  // is_slice + has_start + has_stop
  std::vector<std::int64_t> steps;
  bool add = false;  // of inc_subtensor

  auto fields() const { return std::tie(kinds, steps, add); }
};

/// Index arrays run over axes axis, axis + 1, … of input 0.
struct GatherAttrs {
  int axis = 0;
  bool add = false;  // of the assignment: adds up, instead of replacing
  int layers = 0;    // nodes of the same brackets below this one: slices, moved axes

  auto fields() const { return std::tie(axis, add, layers); }
};

/// The part of x that the indices name, with axes in NumPy's order: those of index arrays take
/// the place of the axes they index, or come first where slices or new axes part the arrays. A
/// number beside an array counts as an array.
Variable indexed(Operand x, const std::vector<Index>& indices);
/// `part` is x(…): x with that part replaced by y, or y added to it. x itself does not change. An
/// element named several times takes the last value of a replacement, and the sum of an increment.
/// Throws Error where y's dtype would lose in x's; a number of the program only must fit.
Variable set_subtensor(Operand part, Operand y);
Variable inc_subtensor(Operand part, Operand y);
/// Elements of x by arrays of integers that broadcast together, on axes axis, axis + 1, …; checked.
/// `layers` is for brackets that gather from a value which they made.
Variable gather(Operand x, const Operands& indices, int axis, int layers = 0);
/// Elements along an axis by their numbers.
Variable take(Operand x, Operand indices, int axis);
/// The same on x flattened.
Variable take(Operand x, Operand indices);
/// out[i, j] = x[i, index[i, j]] for axis 1; index has x's rank.
Variable take_along_axis(Operand x, Operand index, int axis);
/// Indices of the elements that are not zero, a vector an axis.
Vars nonzero(Operand x);
/// Pieces of these sizes along an axis, in order.
Vars split(Operand x, const Operands& sizes, int axis = 0);
/// The elements of an axis in reverse.
Variable flip(Operand x, int axis);
/// Moved along an axis; what leaves at the end comes in at the front.
Variable roll(Operand x, Operand shift, int axis);

extern const Op subtensor_op, set_subtensor_op, gather_op, scatter_op, check_index_op, nonzero_op;

}  // namespace hypatia
