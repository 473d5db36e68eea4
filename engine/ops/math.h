#pragma once
// Elementwise arithmetic and functions, as the user writes them. All broadcast by pattern.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

// Arithmetic; integers stay integers but for `/`, which gives at least float.
Variable operator+(Operand a, Operand b);
Variable operator-(Operand a, Operand b);
Variable operator*(Operand a, Operand b);
Variable operator/(Operand a, Operand b);
/// Remainder with the sign of the divisor, as Python's %.
Variable operator%(Operand a, Operand b);
Variable operator-(Operand a);
/// Quotient rounded down, as Python's //.
Variable int_div(Operand a, Operand b);
Variable pow(Operand a, Operand b);
Variable maximum(Operand a, Operand b);
Variable minimum(Operand a, Operand b);
Variable clip(Operand x, Operand low, Operand high);
Variable abs(Operand x);
/// -1, 0 or 1.
Variable sgn(Operand x);
/// x·x.
Variable sqr(Operand x);
/// 1/x.
Variable inv(Operand x);

Variable exp(Operand x);
Variable exp2(Operand x);
/// exp(x) - 1, exact near 0.
Variable expm1(Operand x);
Variable log(Operand x);
/// log(1 + x), exact near 0.
Variable log1p(Operand x);
Variable log2(Operand x);
Variable log10(Operand x);
Variable sqrt(Operand x);
Variable sin(Operand x);
Variable cos(Operand x);
Variable tan(Operand x);
Variable arcsin(Operand x);
Variable arccos(Operand x);
Variable arctan(Operand x);
Variable arctan2(Operand y, Operand x);
Variable sinh(Operand x);
Variable cosh(Operand x);
Variable tanh(Operand x);
Variable arcsinh(Operand x);
Variable arccosh(Operand x);
Variable arctanh(Operand x);
Variable erf(Operand x);
Variable erfc(Operand x);
/// Whole numbers as floats; integers stay what they are.
Variable floor(Operand x);
Variable ceil(Operand x);
/// To the nearest integer, halves to even.
Variable round(Operand x);
Variable trunc(Operand x);
Variable deg2rad(Operand x);
Variable rad2deg(Operand x);
/// 1/(1 + exp(-x)) for any x.
Variable sigmoid(Operand x);
/// log(1 + exp(x)) without overflow.
Variable softplus(Operand x);
/// The elements of `value` in the shape of `model`.
Variable fill(Operand model, Operand value);
Variable zeros_like(Operand x);
Variable ones_like(Operand x);
Variable cast(Operand x, DType dtype);
/// x itself; a node of its own in the graph.
Variable identity(Operand x);

struct CastAttrs {
  DType to = DType::float64;

  auto fields() const { return std::tie(to); }
};

extern const Op add_op, sub_op, mul_op, true_div_op, int_div_op, mod_op, pow_op, neg_op, abs_op,
    sgn_op, sqr_op, inv_op, maximum_op, minimum_op;
extern const Op exp_op, exp2_op, expm1_op, log_op, log1p_op, log2_op, log10_op, sqrt_op, sin_op,
    cos_op, tan_op, arcsin_op, arccos_op, arctan_op, arctan2_op, sinh_op, cosh_op, tanh_op,
    arcsinh_op, arccosh_op, arctanh_op, erf_op, erfc_op, floor_op, ceil_op, round_op, trunc_op,
    deg2rad_op, rad2deg_op, sigmoid_op, softplus_op;
extern const Op fill_op, cast_op, identity_op;

}  // namespace hypatia
