#include "engine/ops/special.h"

#include <cmath>
#include <limits>

#include "engine/ops/compare.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

constexpr double pi = 3.141592653589793;

/// lgamma keeps the sign of gamma in a global variable; this one does not.
constexpr auto log_gamma = [](auto x) {
  int sign = 0;
  return static_cast<decltype(x)>(lgamma_r(static_cast<double>(x), &sign));
};

/// Reflected to the right half, stepped up to 10, then the asymptotic series.
double digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) return digamma(1 - x) - pi / std::tan(pi * x);
  double shift = 0;
  for (; x < 10; ++x)
    shift -= 1 / x;
  const double w = 1 / (x * x);
  const double series =
      w * (1.0 / 12 - w * (1.0 / 120 - w * (1.0 / 252 - w * (1.0 / 240 - w * (1.0 / 132)))));
  return shift + std::log(x) - 0.5 / x - series;
}

/// The x >= 0 with erf(x) = y and erfc(x) = tail, whose sum is 1: a rough start from Winitzki's
/// formula, then Halley's steps on the smaller of the two, which has the digits.
double inverse_erf(double y, double tail) {
  if (!(y >= 0 && tail >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (tail == 0) return std::numeric_limits<double>::infinity();
  const double a = 0.147, log_tail = std::log(tail) + std::log1p(y);
  const double half = 2 / (pi * a) + log_tail / 2;
  double x = std::sqrt(std::sqrt(half * half - log_tail / a) - half);
  for (int i = 0; i < 4; ++i) {
    const double error = y < 0.5 ? std::erf(x) - y : tail - std::erfc(x);
    const double step = error * 0.886226925452758 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

double inverse_erf(double y) {
  return std::copysign(inverse_erf(std::fabs(y), 1 - std::fabs(y)), y);
}

double inverse_erfc(double y) {
  return y < 1 ? inverse_erf(1 - y, y) : -inverse_erf(y - 1, 2 - y);
}

constexpr auto wide_digamma = [](auto x) {
  return static_cast<decltype(x)>(digamma(static_cast<double>(x)));
};
constexpr auto wide_inverse_erf = [](auto y) {
  return static_cast<decltype(y)>(inverse_erf(static_cast<double>(y)));
};
constexpr auto wide_inverse_erfc = [](auto y) {
  return static_cast<decltype(y)>(inverse_erfc(static_cast<double>(y)));
};

}  // namespace

constinit const Op gamma_op = elementwise({
    .name = "gamma",
    .doc = "the gamma function",
    .dtypes = promoted_float,
    .text = "tgamma({0})",
    .flops = 60,
    .loop = float_loop<1, [](auto x) { return std::tgamma(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * a.out[0] * psi(a.in[0])}; },
});

constinit const Op gammaln_op = elementwise({
    .name = "gammaln",
    .doc = "log of the absolute value of gamma",
    .dtypes = promoted_float,
    .text = "lgamma({0})",
    .flops = 60,
    .loop = float_loop<1, log_gamma>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * psi(a.in[0])}; },
});

constinit const Op psi_op = elementwise({
    .name = "psi",
    .doc = "the derivative of gammaln",
    .dtypes = promoted_float,
    .text = "digamma({0})",
    .flops = 80,
    .loop = float_loop<1, wide_digamma>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * tri_gamma(a.in[0])}; },
});

constinit const Op erfinv_op = elementwise({
    .name = "erfinv",
    .doc = "the inverse of erf",
    .dtypes = promoted_float,
    .text = "erfinv({0})",
    .flops = 40,
    .loop = float_loop<1, wide_inverse_erf>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * 0.886226925452758 * exp(sqr(a.out[0]))};
    },
});

constinit const Op erfcinv_op = elementwise({
    .name = "erfcinv",
    .doc = "the inverse of erfc, exact for small arguments",
    .dtypes = promoted_float,
    .text = "erfcinv({0})",
    .flops = 40,
    .loop = float_loop<1, wide_inverse_erfc>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * -0.886226925452758 * exp(sqr(a.out[0]))};
    },
});

Variable gamma(Operand x) {
  return apply_elementwise(gamma_op, {x});
}

Variable gammaln(Operand x) {
  return apply_elementwise(gammaln_op, {x});
}

Variable psi(Operand x) {
  return apply_elementwise(psi_op, {x});
}

// Reflected to the right half, stepped up by 10, then the asymptotic series (Abramowitz and Stegun
// 6.4.6, 6.4.7 and 6.4.12).
Variable tri_gamma(Operand x) {
  const Operand left(x < 0, x.at), right(switch_(left, 1 - x, x), x.at);
  Variable sum = sqr(inv(right));
  for (int step = 1; step < 10; ++step)
    sum = sum + sqr(inv(right + step));
  const Operand z(inv(right + 10), x.at), w(sqr(z), x.at);
  const Variable bernoulli =
      1 / Operand(6) -
      w * (1 / Operand(30) - w * (1 / Operand(42) - w * (1 / Operand(30) - w * 5 / 66)));
  const Variable series = z + w / 2 + z * w * bernoulli;
  const Variable mirror = sqr(pi / sin(pi * x));
  const Variable value = switch_(left, mirror - (sum + series), sum + series);
  return cast({value, x.at}, at_least_float(x.variable.dtype()));
}

Variable erfinv(Operand y) {
  return apply_elementwise(erfinv_op, {y});
}

Variable erfcinv(Operand y) {
  return apply_elementwise(erfcinv_op, {y});
}

Variable expit(Operand x) {
  return sigmoid(x);
}

Variable logit(Operand p) {
  return log(p) - log1p(-p);
}

Variable log1mexp(Operand x) {
  // Each branch where the other cancels; the one that is not chosen stays finite there.
  const Variable near = log(-expm1(x)), far = log1p(-exp(x));
  return switch_(x > -0.6931471805599453, near, far);
}

}  // namespace hypatia
