#pragma once
// Linear algebra: decompositions and solutions through LAPACK, on the host, which take integers as
// floats; and products built from other ops.

#include <vector>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// The inverse of a square matrix; a call throws Error where it is singular.
Variable matrix_inverse(Operand a);
/// The determinant of a square matrix, 0-d.
Variable det(Operand a);
/// log(|det(a)|), without overflow.
Variable logabsdet(Operand a);
/// The sign of the determinant and its logarithm.
Vars slogdet(Operand a);
/// The lower triangular l with l·lᵀ = a, for symmetric positive definite a.
Variable cholesky(Operand a);
/// x with a·x = b; b is a vector or a matrix.
Variable solve(Operand a, Operand b);
/// Eigenvalues, rising, and eigenvectors as columns, of a symmetric matrix.
Vars eigh(Operand a);
/// q and r with a = q·r; no gradient.
Vars qr(Operand a);
/// u, s and vt with a = u·diag(s)·vt, as many columns of u as s has entries; no gradient.
Vars svd(Operand a);
/// The Moore-Penrose inverse; its gradient holds where the rank stays.
Variable pinv(Operand a);

/// The sum of the diagonal of a square matrix.
Variable trace(Operand a);
/// a·a·…; n may be 0 or negative.
Variable matrix_power(Operand a, int n);
/// Products of every pair of entries of two vectors.
Variable outer(Operand a, Operand b);
/// dot for each entry of the first axis: (b, m, k) or (b, k) with (b, k, n) or (b, k).
Variable batched_dot(Operand a, Operand b);
/// Products summed over axes of a and as many of b; the other axes of a come first. A number n
/// joins the last n axes of a with the first n of b; 0 is the outer product.
Variable tensordot(Operand a, Operand b, int axes = 2);
Variable tensordot(
    Operand a, Operand b, const std::vector<int>& a_axes, const std::vector<int>& b_axes);
/// The same for each entry of the first axis, which the numbers of axes don't count.
Variable batched_tensordot(Operand a, Operand b, int axes = 2);
/// The Kronecker product of two matrices: each entry of a times all of b.
Variable kron(Operand a, Operand b);
/// The square root of the sum of squares of all entries.
Variable norm(Operand x);

extern const Op matrix_inverse_op, det_op, logabsdet_op, cholesky_op, solve_op, eigh_op, qr_op,
    svd_op, pinv_op;

}  // namespace hypatia
