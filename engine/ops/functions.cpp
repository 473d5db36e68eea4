// The elementwise functions of one float: their descriptors and what applies them.
#include <cmath>

#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

constinit const Op exp_op = elementwise({
    .name = "exp",
    .doc = "e to the power x",
    .dtypes = promoted_float,
    .text = "exp({0})",
    .flops = 16,
    .loop = float_loop<1, [](auto x) { return std::exp(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * a.out[0]}; },
});

constinit const Op exp2_op = elementwise({
    .name = "exp2",
    .doc = "2 to the power x",
    .dtypes = promoted_float,
    .text = "exp2({0})",
    .flops = 16,
    .loop = float_loop<1, [](auto x) { return std::exp2(x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * a.out[0] * 0.6931471805599453};
    },
});

constinit const Op expm1_op = elementwise({
    .name = "expm1",
    .doc = "exp(x) - 1, exact near 0",
    .dtypes = promoted_float,
    .text = "expm1({0})",
    .flops = 20,
    .loop = float_loop<1, [](auto x) { return std::expm1(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * (a.out[0] + 1)}; },
});

constinit const Op log_op = elementwise({
    .name = "log",
    .doc = "natural logarithm",
    .dtypes = promoted_float,
    .text = "log({0})",
    .flops = 16,
    .loop = float_loop<1, [](auto x) { return std::log(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / a.in[0]}; },
});

constinit const Op log1p_op = elementwise({
    .name = "log1p",
    .doc = "log(1 + x), exact near 0",
    .dtypes = promoted_float,
    .text = "log1p({0})",
    .flops = 20,
    .loop = float_loop<1, [](auto x) { return std::log1p(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / (1 + a.in[0])}; },
});

constinit const Op log2_op = elementwise({
    .name = "log2",
    .doc = "logarithm to base 2",
    .dtypes = promoted_float,
    .text = "log2({0})",
    .flops = 16,
    .loop = float_loop<1, [](auto x) { return std::log2(x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] / (a.in[0] * 0.6931471805599453)};
    },
});

constinit const Op log10_op = elementwise({
    .name = "log10",
    .doc = "logarithm to base 10",
    .dtypes = promoted_float,
    .text = "log10({0})",
    .flops = 16,
    .loop = float_loop<1, [](auto x) { return std::log10(x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] / (a.in[0] * 2.302585092994046)};
    },
});

constinit const Op sqrt_op = elementwise({
    .name = "sqrt",
    .doc = "square root",
    .dtypes = promoted_float,
    .text = "sqrt({0})",
    .flops = 4,
    .loop = float_loop<1, [](auto x) { return std::sqrt(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * 0.5 / a.out[0]}; },
});

constinit const Op sin_op = elementwise({
    .name = "sin",
    .doc = "sine",
    .dtypes = promoted_float,
    .text = "sin({0})",
    .flops = 20,
    .loop = float_loop<1, [](auto x) { return std::sin(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * cos(a.in[0])}; },
});

constinit const Op cos_op = elementwise({
    .name = "cos",
    .doc = "cosine",
    .dtypes = promoted_float,
    .text = "cos({0})",
    .flops = 20,
    .loop = float_loop<1, [](auto x) { return std::cos(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {-a.out_bar[0] * sin(a.in[0])}; },
});

constinit const Op tan_op = elementwise({
    .name = "tan",
    .doc = "tangent",
    .dtypes = promoted_float,
    .text = "tan({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::tan(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * (1 + sqr(a.out[0]))}; },
});

constinit const Op arcsin_op = elementwise({
    .name = "arcsin",
    .doc = "inverse sine",
    .dtypes = promoted_float,
    .text = "asin({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::asin(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / sqrt(1 - sqr(a.in[0]))}; },
});

constinit const Op arccos_op = elementwise({
    .name = "arccos",
    .doc = "inverse cosine",
    .dtypes = promoted_float,
    .text = "acos({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::acos(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {-a.out_bar[0] / sqrt(1 - sqr(a.in[0]))}; },
});

constinit const Op arctan_op = elementwise({
    .name = "arctan",
    .doc = "inverse tangent",
    .dtypes = promoted_float,
    .text = "atan({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::atan(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / (1 + sqr(a.in[0]))}; },
});

constinit const Op sinh_op = elementwise({
    .name = "sinh",
    .doc = "hyperbolic sine",
    .dtypes = promoted_float,
    .text = "sinh({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::sinh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * cosh(a.in[0])}; },
});

constinit const Op cosh_op = elementwise({
    .name = "cosh",
    .doc = "hyperbolic cosine",
    .dtypes = promoted_float,
    .text = "cosh({0})",
    .flops = 24,
    .loop = float_loop<1, [](auto x) { return std::cosh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * sinh(a.in[0])}; },
});

constinit const Op tanh_op = elementwise({
    .name = "tanh",
    .doc = "hyperbolic tangent",
    .dtypes = promoted_float,
    .text = "tanh({0})",
    .flops = 20,
    .loop = float_loop<1, [](auto x) { return std::tanh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * (1 - sqr(a.out[0]))}; },
});

constinit const Op arcsinh_op = elementwise({
    .name = "arcsinh",
    .doc = "inverse hyperbolic sine",
    .dtypes = promoted_float,
    .text = "asinh({0})",
    .flops = 30,
    .loop = float_loop<1, [](auto x) { return std::asinh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / sqrt(1 + sqr(a.in[0]))}; },
});

constinit const Op arccosh_op = elementwise({
    .name = "arccosh",
    .doc = "inverse hyperbolic cosine",
    .dtypes = promoted_float,
    .text = "acosh({0})",
    .flops = 30,
    .loop = float_loop<1, [](auto x) { return std::acosh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / sqrt(sqr(a.in[0]) - 1)}; },
});

constinit const Op arctanh_op = elementwise({
    .name = "arctanh",
    .doc = "inverse hyperbolic tangent",
    .dtypes = promoted_float,
    .text = "atanh({0})",
    .flops = 30,
    .loop = float_loop<1, [](auto x) { return std::atanh(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] / (1 - sqr(a.in[0]))}; },
});

constinit const Op erf_op = elementwise({
    .name = "erf",
    .doc = "error function",
    .dtypes = promoted_float,
    .text = "erf({0})",
    .flops = 30,
    .loop = float_loop<1, [](auto x) { return std::erf(x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * 1.1283791670955126 * exp(-sqr(a.in[0]))};
    },
});

constinit const Op erfc_op = elementwise({
    .name = "erfc",
    .doc = "1 - erf(x), exact for large x",
    .dtypes = promoted_float,
    .text = "erfc({0})",
    .flops = 30,
    .loop = float_loop<1, [](auto x) { return std::erfc(x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {-a.out_bar[0] * 1.1283791670955126 * exp(-sqr(a.in[0]))};
    },
});

constinit const Op floor_op = elementwise({
    .name = "floor",
    .doc = "the integer below or at x",
    .dtypes = promoted_float,
    .text = "floor({0})",
    .flops = 1,
    .loop = float_loop<1, [](auto x) { return std::floor(x); }>,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
});

constinit const Op ceil_op = elementwise({
    .name = "ceil",
    .doc = "the integer above or at x",
    .dtypes = promoted_float,
    .text = "ceil({0})",
    .flops = 1,
    .loop = float_loop<1, [](auto x) { return std::ceil(x); }>,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
});

constinit const Op round_op = elementwise({
    .name = "round",
    .doc = "the nearest integer, halves to even",
    .dtypes = promoted_float,
    .text = "rint({0})",
    .flops = 1,
    .loop = float_loop<1, [](auto x) { return std::nearbyint(x); }>,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
});

constinit const Op trunc_op = elementwise({
    .name = "trunc",
    .doc = "the integer toward 0",
    .dtypes = promoted_float,
    .text = "trunc({0})",
    .flops = 1,
    .loop = float_loop<1, [](auto x) { return std::trunc(x); }>,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
});

constinit const Op deg2rad_op = elementwise({
    .name = "deg2rad",
    .doc = "degrees to radians",
    .dtypes = promoted_float,
    .text = "{0} * 0.017453292519943295",
    .flops = 1,
    .loop =
        float_loop<1, [](auto x) { return x * static_cast<decltype(x)>(0.017453292519943295); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * 0.017453292519943295}; },
});

constinit const Op rad2deg_op = elementwise({
    .name = "rad2deg",
    .doc = "radians to degrees",
    .dtypes = promoted_float,
    .text = "{0} * 57.29577951308232",
    .flops = 1,
    .loop = float_loop<1, [](auto x) { return x * static_cast<decltype(x)>(57.29577951308232); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * 57.29577951308232}; },
});

// The denominator is 1 + exp(-|x|) on both sides of 0, so that nothing overflows.
constinit const Op sigmoid_op = elementwise({
    .name = "sigmoid",
    .doc = "1 / (1 + exp(-x)), for any x",
    .dtypes = promoted_float,
    .text = "(({0} < 0 ? exp(-fabs({0})) : 1) / (1 + exp(-fabs({0}))))",
    .flops = 20,
    .loop = float_loop<
        1,
        [](auto x) {
          const auto e = std::exp(-std::fabs(x));
          return x < 0 ? e / (1 + e) : 1 / (1 + e);
        }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * a.out[0] * (1 - a.out[0])}; },
});

constinit const Op softplus_op = elementwise({
    .name = "softplus",
    .doc = "log(1 + exp(x)), without overflow",
    .dtypes = promoted_float,
    .text = "(({0} > 0 ? {0} : 0) + log1p(exp(-fabs({0}))))",
    .flops = 40,
    .loop = float_loop<
        1,
        [](auto x) { return (x > 0 ? x : decltype(x){0}) + std::log1p(std::exp(-std::fabs(x))); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * sigmoid(a.in[0])}; },
});

constinit const Op arctan2_op = elementwise({
    .name = "arctan2",
    .doc = "the angle of the point (x, y)",
    .arity = 2,
    .dtypes = promoted_float,
    .text = "atan2({0}, {1})",
    .flops = 30,
    .loop = float_loop<2, [](auto y, auto x) { return std::atan2(y, x); }>,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable radius = sqr(a.in[0]) + sqr(a.in[1]);
      return {a.out_bar[0] * a.in[1] / radius, -a.out_bar[0] * a.in[0] / radius};
    },
});

Variable exp(Operand x) {
  return apply_elementwise(exp_op, {x});
}

Variable exp2(Operand x) {
  return apply_elementwise(exp2_op, {x});
}

Variable expm1(Operand x) {
  return apply_elementwise(expm1_op, {x});
}

Variable log(Operand x) {
  return apply_elementwise(log_op, {x});
}

Variable log1p(Operand x) {
  return apply_elementwise(log1p_op, {x});
}

Variable log2(Operand x) {
  return apply_elementwise(log2_op, {x});
}

Variable log10(Operand x) {
  return apply_elementwise(log10_op, {x});
}

Variable sqrt(Operand x) {
  return apply_elementwise(sqrt_op, {x});
}

Variable sin(Operand x) {
  return apply_elementwise(sin_op, {x});
}

Variable cos(Operand x) {
  return apply_elementwise(cos_op, {x});
}

Variable tan(Operand x) {
  return apply_elementwise(tan_op, {x});
}

Variable arcsin(Operand x) {
  return apply_elementwise(arcsin_op, {x});
}

Variable arccos(Operand x) {
  return apply_elementwise(arccos_op, {x});
}

Variable arctan(Operand x) {
  return apply_elementwise(arctan_op, {x});
}

Variable sinh(Operand x) {
  return apply_elementwise(sinh_op, {x});
}

Variable cosh(Operand x) {
  return apply_elementwise(cosh_op, {x});
}

Variable tanh(Operand x) {
  return apply_elementwise(tanh_op, {x});
}

Variable arcsinh(Operand x) {
  return apply_elementwise(arcsinh_op, {x});
}

Variable arccosh(Operand x) {
  return apply_elementwise(arccosh_op, {x});
}

Variable arctanh(Operand x) {
  return apply_elementwise(arctanh_op, {x});
}

Variable erf(Operand x) {
  return apply_elementwise(erf_op, {x});
}

Variable erfc(Operand x) {
  return apply_elementwise(erfc_op, {x});
}

namespace {

/// Integers are whole already, and keep their dtype.
Variable rounded(const Op& op, const Operand& x) {
  return is_float(x.variable.dtype()) ? apply_elementwise(op, {x}) : x.variable;
}

}  // namespace

Variable floor(Operand x) {
  return rounded(floor_op, x);
}

Variable ceil(Operand x) {
  return rounded(ceil_op, x);
}

Variable round(Operand x) {
  return rounded(round_op, x);
}

Variable trunc(Operand x) {
  return rounded(trunc_op, x);
}

Variable deg2rad(Operand x) {
  return apply_elementwise(deg2rad_op, {x});
}

Variable rad2deg(Operand x) {
  return apply_elementwise(rad2deg_op, {x});
}

Variable sigmoid(Operand x) {
  return apply_elementwise(sigmoid_op, {x});
}

Variable softplus(Operand x) {
  return apply_elementwise(softplus_op, {x});
}

Variable arctan2(Operand y, Operand x) {
  return apply_elementwise(arctan2_op, {y, x});
}

}  // namespace hypatia
