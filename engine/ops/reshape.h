#pragma once
// Values in other shapes, and values made from sizes.

#include <vector>

#include "engine/expr/leaves.h"
#include "engine/expr/op.h"
#include "engine/ops/iota.h"

namespace hypatia {

/// Which axes of the output broadcast.
struct PatternAttrs {
  std::vector<bool> broadcastable;

  auto fields() const { return std::tie(broadcastable); }
};

struct DiagonalAttrs {
  int k = 0;

  auto fields() const { return std::tie(k); }
};

/// The same elements in row-major order; one size may be -1. A view where they lie without gaps.
Variable reshape(Operand x, const Operands& dims);
/// The same with sizes in a vector, of which there are ndim: reshape(x, shape(y), 2).
Variable reshape(Operand x, Operand shape, int ndim);
/// All axes as one, or those from axis ndim-1 on.
Variable flatten(Operand x, int ndim = 1);
/// All sizes, an int64 vector.
Variable shape(Operand x);
/// Numbers as a vector.
Variable make_vector(const Operands& numbers);
/// x repeated along broadcastable axes and new ones on the left; no memory.
Variable broadcast_to(Operand x, const Operands& dims);
/// The value at every place of an array of those sizes.
Variable alloc(Operand value, const Operands& dims);
Variable zeros(const Operands& dims, DTypeChoice dtype = {});
Variable ones(const Operands& dims, DTypeChoice dtype = {});
Variable full(const Operands& dims, Operand value);
Variable full_like(Operand x, Operand value);
/// The same value whose axes promise size 1 or not; checked at each call.
Variable patternbroadcast(Operand x, const std::vector<bool>& broadcastable);
Variable addbroadcast(Operand x, const std::vector<int>& axes);
Variable unbroadcast(Operand x, const std::vector<int>& axes);
/// All broadcastable axes dropped, or the one named.
Variable squeeze(Operand x);
Variable squeeze(Operand x, int axis);
Variable expand_dims(Operand x, int axis);
/// n broadcastable axes more, on the left or the right.
Variable shape_padleft(Operand x, int n = 1);
Variable shape_padright(Operand x, int n = 1);
Variable swapaxes(Operand x, int a, int b);
Variable moveaxis(Operand x, int from, int to);
/// x beside itself that many times an axis.
Variable tile(Operand x, const Operands& repeats);
/// Each element `times` times along an axis; a vector of integers has a count for each element.
Variable repeat(Operand x, Operand times, int axis);
Variable arange(Operand stop);
Variable arange(Operand start, Operand stop, Operand step = 1);
/// n numbers from first to last, both in.
Variable linspace(Operand first, Operand last, Operand n);
/// Ones on a diagonal.
Variable eye(Operand rows, Operand columns, int k = 0, DTypeChoice dtype = {});
Variable eye(Operand n);
/// Elements on or below, on or above a diagonal of the last two axes; zero elsewhere.
Variable tril(Operand x, int k = 0);
Variable triu(Operand x, int k = 0);
/// A matrix's diagonal (a view), or a vector as the diagonal of a square matrix.
Variable diag(Operand x, int k = 0);
/// Arrays one after another along an axis.
Variable join(int axis, const Operands& parts);
Variable concatenate(const Operands& parts, int axis = 0);
/// Arrays of one shape along a new axis.
Variable stack(const Operands& parts, int axis = 0);
/// A value as a variable; several of one shape as one, stacked.
Variable as_tensor_variable(Operand x);
Variable as_tensor_variable(const Operands& parts);

extern const Op reshape_op, broadcast_to_op, rebroadcast_op, make_vector_op, diagonal_op,
    diagonal_matrix_op, join_op;

}  // namespace hypatia
