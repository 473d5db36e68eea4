#include "engine/ops/linalg.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/linear_algebra.h"
#include "engine/expr/leaves.h"
#include "engine/ops/compare.h"
#include "engine/ops/iota.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

void check_matrix(const TypeCall& call, bool square) {
  const Type& a = call.in[0];
  if (a.rank() != 2 || !is_float(a.dtype())) {
    throw Error(
        Error::Kind::shape,
        std::string(call.op.name) + " takes a matrix of floats",
        "convert integers with astype");
  }
  const std::int64_t rows = a.dims()[0], columns = a.dims()[1];
  if (!square || rows == columns || rows == unknown_dim || columns == unknown_dim) return;
  throw Error(
      Error::Kind::shape,
      std::string(call.op.name) + " takes a square matrix, and this one has " +
          std::to_string(rows) + " rows and " + std::to_string(columns) + " columns");
}

Type plain(DType dtype, std::initializer_list<std::int64_t> sizes) {
  Type type(dtype, 0);
  for (std::int64_t d : sizes)
    type.push_axis(d, false);
  return type;
}

std::int64_t smaller_of(std::int64_t a, std::int64_t b) {
  return a == unknown_dim || b == unknown_dim ? unknown_dim : std::min(a, b);
}

void infer_same(const TypeCall& call, Types& out) {
  check_matrix(call, true);
  out.push_back(call.in[0]);
}

void infer_number(const TypeCall& call, Types& out) {
  check_matrix(call, true);
  out.push_back(Type(call.in[0].dtype(), 0));
}

void infer_solve(const TypeCall& call, Types& out) {
  check_matrix(call, true);
  const Type &a = call.in[0], &b = call.in[1];
  if (b.rank() < 1 || b.rank() > 2 || b.dtype() != a.dtype()) {
    throw Error(Error::Kind::shape, "solve takes a vector or a matrix of the matrix's dtype");
  }
  if (a.dims()[0] != unknown_dim && b.dims()[0] != unknown_dim && a.dims()[0] != b.dims()[0]) {
    throw Error(
        Error::Kind::shape,
        "solve: the matrix has " + std::to_string(a.dims()[0]) + " rows, and the right side " +
            std::to_string(b.dims()[0]));
  }
  out.push_back(b);
}

void infer_eigh(const TypeCall& call, Types& out) {
  check_matrix(call, true);
  out.push_back(plain(call.in[0].dtype(), {call.in[0].dims()[0]}));
  out.push_back(call.in[0]);
}

void infer_qr(const TypeCall& call, Types& out) {
  check_matrix(call, false);
  const Dims& d = call.in[0].dims();
  const std::int64_t least = smaller_of(d[0], d[1]);
  out.push_back(plain(call.in[0].dtype(), {d[0], least}));
  out.push_back(plain(call.in[0].dtype(), {least, d[1]}));
}

void infer_svd(const TypeCall& call, Types& out) {
  check_matrix(call, false);
  const Dims& d = call.in[0].dims();
  const std::int64_t least = smaller_of(d[0], d[1]);
  out.push_back(plain(call.in[0].dtype(), {d[0], least}));
  out.push_back(plain(call.in[0].dtype(), {least}));
  out.push_back(plain(call.in[0].dtype(), {least, d[1]}));
}

void infer_pinv(const TypeCall& call, Types& out) {
  check_matrix(call, false);
  out.push_back(plain(call.in[0].dtype(), {call.in[0].dims()[1], call.in[0].dims()[0]}));
}

/// |det(a)| is the product of the diagonal of r in a = q·r.
std::vector<Array> eval_logabsdet(const EvalCall& call) {
  const Array r = linear_algebra().qr(call.in[0])[1];
  double total = 0;
  for (std::int64_t i = 0; i < r.dims()[0]; ++i)
    total += std::log(std::fabs(r.at({i, i})));
  return {Array(total).astype(call.out_types[0].dtype())};
}

/// v·diag(1/s)·uᵀ; singular values that are rounding errors count as 0.
std::vector<Array> eval_pinv(const EvalCall& call) {
  const DType dtype = call.out_types[0].dtype();
  const std::vector<Array> parts = linear_algebra().svd(call.in[0]);
  const Array &u = parts[0], &s = parts[1], &vt = parts[2];
  const std::int64_t least = s.dims()[0];
  const double cut = least ? 1e-15 * s.at({0}) * static_cast<double>(u.dims()[0] + vt.dims()[1]) *
                                 (dtype == DType::float32 ? 1e9 : 1)
                           : 0;
  Array out = Array::zeros(DType::float64, call.out_types[0].dims());
  for (std::int64_t i = 0; i < out.dims()[0]; ++i) {
    for (std::int64_t j = 0; j < out.dims()[1]; ++j) {
      double total = 0;
      for (std::int64_t k = 0; k < least; ++k)
        if (s.at({k}) > cut) total += vt.at({k, i}) * u.at({j, k}) / s.at({k});
      out.data<double>()[i * out.dims()[1] + j] = total;
    }
  }
  return {out.astype(dtype)};
}

Variable order(const Variable& a) {
  return shape_i(a, 0);
}

Variable eye_like(const Variable& a) {
  return identity_matrix(order(a), a.dtype());
}

Vars cholesky_pullback(const Adjoint& adjoint) {
  // With p = lᵀ·bar, its lower half with the diagonal halved, symmetrised between inverses of l.
  const Variable& l = adjoint.out[0];
  const Variable numbers = iota(order(l));
  const Variable rows = dimshuffle(numbers, {0, -1}), columns = dimshuffle(numbers, {-1, 0});
  const Variable below = cast(rows > columns, l.dtype());
  const Variable half = constant_of_type(Array(0.5).astype(l.dtype()), Type(l.dtype(), 0), {});
  const Variable p = dot(transpose(l), adjoint.out_bar[0]) * (below + half * eye_like(l));
  const Variable inverse = matrix_inverse(l);
  const Variable s = dot(transpose(inverse), dot(p, inverse));
  return {half * (s + transpose(s))};
}

Vars solve_pullback(const Adjoint& adjoint) {
  const Variable bar = solve(transpose(adjoint.in[0]), adjoint.out_bar[0]);
  const Variable& x = adjoint.out[0];
  const Variable by_a = x.ndim() == 1 ? outer(bar, x) : dot(bar, transpose(x));
  return {-by_a, bar};
}

Vars eigh_pullback(const Adjoint& adjoint) {
  const Variable &w = adjoint.out[0], &v = adjoint.out[1];
  const Variable eye = eye_like(v);
  Variable middle;
  if (adjoint.out_bar[0]) middle = eye * dimshuffle(adjoint.out_bar[0], {-1, 0});
  if (adjoint.out_bar[1]) {
    const Variable gaps = dimshuffle(w, {-1, 0}) - dimshuffle(w, {0, -1});
    const Variable turned = (1 - eye) * dot(transpose(v), adjoint.out_bar[1]) / (gaps + eye);
    middle = middle ? middle + turned : turned;
  }
  // Only the symmetric part of a is looked at.
  const Variable bar = dot(v, dot(middle, transpose(v)));
  return {(bar + transpose(bar)) / 2};
}

Vars pinv_pullback(const Adjoint& adjoint) {
  const Variable &a = adjoint.in[0], &p = adjoint.out[0], &bar = adjoint.out_bar[0];
  const Variable pt = transpose(p), bt = transpose(bar);
  const Variable left = identity_matrix(shape_i(a, 0), a.dtype()) - dot(a, p);
  const Variable right = identity_matrix(shape_i(a, 1), a.dtype()) - dot(p, a);
  return {
      -dot(pt, dot(bar, pt)) + dot(left, dot(bt, dot(p, pt))) + dot(dot(pt, p), dot(bt, right))};
}

Cost cost_cubic(const CostCall& call) {
  const double rows = static_cast<double>(call.in[0].dims()[0]);
  const double columns = static_cast<double>(call.in[0].dims()[1]);
  return {2 * rows * columns * columns, 2 * rows * columns * size_of(call.in[0].dtype())};
}

constexpr Op algebra(
    std::string_view name,
    std::string_view doc,
    void (*infer)(const TypeCall&, Types&),
    std::vector<Array> (*eval)(const EvalCall&),
    Vars (*pullback)(const Adjoint&),
    int arity = 1) {
  return Op{
      .name = name,
      .doc = doc,
      .arity = arity,
      .infer = infer,
      .lowering = HostLowering{.why = "it is LAPACK's, which runs on the CPU"},
      .eval = eval,
      .pullback = pullback,
      .cost = cost_cubic,
  };
}

using Evaluated = std::vector<Array>;

}  // namespace

constinit const Op matrix_inverse_op = algebra(
    "MatrixInverse",
    "the inverse of a square matrix",
    infer_same,
    [](const EvalCall& call) -> Evaluated { return {linear_algebra().inverse(call.in[0])}; },
    [](const Adjoint& a) -> Vars {
      const Variable t = transpose(a.out[0]);
      return {-dot(t, dot(a.out_bar[0], t))};
    });

constinit const Op det_op = algebra(
    "Det",
    "the determinant of a square matrix",
    infer_number,
    [](const EvalCall& call) -> Evaluated { return {linear_algebra().det(call.in[0])}; },
    [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * a.out[0] * transpose(matrix_inverse(a.in[0]))};
    });

constinit const Op logabsdet_op = algebra(
    "LogAbsDet",
    "log of the absolute value of the determinant",
    infer_number,
    eval_logabsdet,
    [](const Adjoint& a) -> Vars { return {a.out_bar[0] * transpose(matrix_inverse(a.in[0]))}; });

constinit const Op cholesky_op = algebra(
    "Cholesky",
    "the lower triangular root of a symmetric positive definite matrix",
    infer_same,
    [](const EvalCall& call) -> Evaluated { return {linear_algebra().cholesky(call.in[0])}; },
    cholesky_pullback);

constinit const Op solve_op = algebra(
    "Solve",
    "x with a·x = b",
    infer_solve,
    [](const EvalCall& call) -> Evaluated {
      return {linear_algebra().solve(call.in[0], call.in[1])};
    },
    solve_pullback,
    2);

constinit const Op eigh_op = algebra(
    "Eigh",
    "eigenvalues and eigenvectors of a symmetric matrix",
    infer_eigh,
    [](const EvalCall& call) -> Evaluated { return linear_algebra().eigh(call.in[0]); },
    eigh_pullback);

constinit const Op qr_op = algebra(
    "QR",
    "an orthonormal and an upper triangular factor",
    infer_qr,
    [](const EvalCall& call) -> Evaluated { return linear_algebra().qr(call.in[0]); },
    nullptr);

constinit const Op svd_op = algebra(
    "SVD",
    "singular vectors and values",
    infer_svd,
    [](const EvalCall& call) -> Evaluated { return linear_algebra().svd(call.in[0]); },
    nullptr);

constinit const Op pinv_op =
    algebra("MatrixPinv", "the Moore-Penrose inverse", infer_pinv, eval_pinv, pinv_pullback);

namespace {

/// Integers are computed with as floats.
Variable in_floats(const Operand& a) {
  return cast(a, at_least_float(a.variable.dtype()));
}

}  // namespace

Variable matrix_inverse(Operand a) {
  return apply(matrix_inverse_op, {in_floats(a)}, {}, a.at);
}

Variable det(Operand a) {
  return apply(det_op, {in_floats(a)}, {}, a.at);
}

Variable logabsdet(Operand a) {
  return apply(logabsdet_op, {in_floats(a)}, {}, a.at);
}

Vars slogdet(Operand a) {
  return {sgn(det(a)), logabsdet(a)};
}

Variable cholesky(Operand a) {
  return apply(cholesky_op, {in_floats(a)}, {}, a.at);
}

Variable solve(Operand a, Operand b) {
  const DType dtype = at_least_float(promote(a.variable.dtype(), b.variable.dtype()));
  return apply(solve_op, {cast(a, dtype), cast(b, dtype)}, {}, a.at);
}

Vars eigh(Operand a) {
  return apply_all(eigh_op, {in_floats(a)}, {}, a.at);
}

Vars qr(Operand a) {
  return apply_all(qr_op, {in_floats(a)}, {}, a.at);
}

Vars svd(Operand a) {
  return apply_all(svd_op, {in_floats(a)}, {}, a.at);
}

Variable pinv(Operand a) {
  return apply(pinv_op, {in_floats(a)}, {}, a.at);
}

}  // namespace hypatia
