// The float64 functions: own polynomials for those used most, else glibc's vector or scalar ones.
// Coefficients are minimax on the ranges stated.
#include "engine/emit/host_math_text.h"

namespace hypatia {

namespace {

constexpr MathText texts_f64[] = {
    {"hy_exp_rest",
     "",
     R"(
/* e^r with x = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^52 rounds x / ln 2 to the integer n and
   leaves n in the low bits. */
INLINE double hy_exp_rest(double x, long* n_below) {
  union { double value; long bits; } t;
  t.value = __builtin_fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
  *n_below = t.bits;
  double n = t.value - 0x1.8p+52;
  double r = __builtin_fma(n, -0x1.62e42fefa39efp-1, x);
  r = __builtin_fma(n, -0x1.abc9e3b39803fp-56, r);
  double p = 0x1.ae07d18cdc178p-26;
  p = __builtin_fma(p, r, 0x1.28b0a7e6bd918p-22);
  p = __builtin_fma(p, r, 0x1.71dece4f4ed9bp-19);
  p = __builtin_fma(p, r, 0x1.a019960d54877p-16);
  p = __builtin_fma(p, r, 0x1.a01a0151c6745p-13);
  p = __builtin_fma(p, r, 0x1.6c16c185eb9b4p-10);
  p = __builtin_fma(p, r, 0x1.1111111120588p-7);
  p = __builtin_fma(p, r, 0x1.555555554fe61p-5);
  p = __builtin_fma(p, r, 0x1.5555555555518p-3);
  p = __builtin_fma(p, r, 0x1.000000000000cp-1);
  p = __builtin_fma(p, r, 1.0);
  return __builtin_fma(p, r, 1.0);
}
)"},
    {"hy_exp",
     "hy_exp_rest",
     R"(
/* e^x = 2^n e^r: n is added to the exponent of e^r; results near and below the normal range get
   there by way of 2^64 times them, so that they round once. From -746 down it is 0: bits of lower
   doubles are larger unsigned numbers. */
INLINE double hy_exp(double x) {
  union { double value; unsigned long bits; } y;
  union { double value; long bits; } power;
  long n_below;
  y.value = x;
  y.bits = y.bits > 0xc087500000000000ul ? 0xc087500000000000ul : y.bits;
  double p = hy_exp_rest(y.value, &n_below);
  int low = x < -700.0;
  power.value = low ? p * 0x1p+64 : p;
  power.bits += n_below << 52;
  double result = low ? power.value * 0x1p-64 : power.value;
  return x <= 0x1.62e42fefa39efp+9 ? result : x + __builtin_inf();
}
)"},
    {"hy_exp_usual",
     "hy_exp_rest",
     R"(
/* hy_exp for |x| <= 700, where nothing rounds twice or overflows; `largest` gathers the bits of
   |x|, which are ordered as the numbers are, and NaN above all. */
INLINE double hy_exp_usual(double x, long* largest) {
  union { double value; long bits; } size, power;
  long n_below;
  size.value = x;
  size.bits &= 0x7fffffffffffffffl;
  *largest = *largest > size.bits ? *largest : size.bits;
  power.value = hy_exp_rest(x, &n_below);
  power.bits += n_below << 52;
  return power.value;
}
INLINE int hy_exp_was_usual(long largest) { return largest <= 0x4085e00000000000l; }
)"},
    {"hy_log",
     "",
     R"(
/* log x = e ln 2 + log m with x = 2^e m, sqrt(1/2) <= m < sqrt(2); log m from the odd series in
   s = f / (2 + f), f = m - 1. Subnormal x is scaled up first. */
INLINE double hy_log(double x) {
  union { double value; long bits; } u, m, exponent;
  int tiny = x < 0x1p-1022;
  u.value = tiny ? x * 0x1p+52 : x;
  /* e + 1023 is positive, so that neither shift nor conversion needs a sign: with the exponent of
     2^52 before them its bits are the double 2^52 + e + 1023. */
  long e = (long)((unsigned long)(u.bits + 0x00095f619980c433) >> 52);
  m.bits = u.bits - (e << 52) + 0x3ff0000000000000;
  exponent.bits = e | 0x4330000000000000;
  double f = m.value - 1.0, k = exponent.value - (tiny ? 0x1p+52 + 1075.0 : 0x1p+52 + 1023.0);
  double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
  double p = 0x1.101e7818e95b3p-3;
  p = __builtin_fma(p, z, 0x1.0f4a9e0c351f8p-3);
  p = __builtin_fma(p, z, 0x1.3b2153c1ea6b7p-3);
  p = __builtin_fma(p, z, 0x1.745cdb9073eccp-3);
  p = __builtin_fma(p, z, 0x1.c71c725c1978dp-3);
  p = __builtin_fma(p, z, 0x1.249249242f0a6p-2);
  p = __builtin_fma(p, z, 0x1.9999999999d58p-2);
  p = __builtin_fma(p, z, 0x1.5555555555555p-1) * z;
  double tail = __builtin_fma(s, h + p, k * 0x1.a39ef35793c76p-33);
  double r = __builtin_fma(k, 0x1.62e42feep-1, f - (h - tail));
  r = x <= 0x1.fffffffffffffp+1023 ? r : x;
  return x > 0.0 ? r : x == 0.0 ? -__builtin_inf() : __builtin_nan("");
}
)"},
    {"hy_log1p",
     "",
     R"(
/* As log(u) with u = 1 + x, plus what rounding u lost over u, 1 / u being near 1 - f + f^2. */
INLINE double hy_log1p(double x) {
  union { double value; long bits; } u, m, exponent, scale;
  u.value = 1.0 + x;
  double t = u.value - x;
  double lost = (1.0 - t) + (x - (u.value - t));
  long e = (long)((unsigned long)(u.bits + 0x00095f619980c433) >> 52);
  m.bits = u.bits - (e << 52) + 0x3ff0000000000000;
  exponent.bits = e | 0x4330000000000000;
  scale.bits = (2046 - (e > 2000 ? 2000 : e)) << 52;
  double f = m.value - 1.0, k = exponent.value - (0x1p+52 + 1023.0);
  double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
  double p = 0x1.101e7818e95b3p-3;
  p = __builtin_fma(p, z, 0x1.0f4a9e0c351f8p-3);
  p = __builtin_fma(p, z, 0x1.3b2153c1ea6b7p-3);
  p = __builtin_fma(p, z, 0x1.745cdb9073eccp-3);
  p = __builtin_fma(p, z, 0x1.c71c725c1978dp-3);
  p = __builtin_fma(p, z, 0x1.249249242f0a6p-2);
  p = __builtin_fma(p, z, 0x1.9999999999d58p-2);
  p = __builtin_fma(p, z, 0x1.5555555555555p-1) * z;
  double tail = __builtin_fma(s, h + p, k * 0x1.a39ef35793c76p-33);
  tail = __builtin_fma(lost * scale.value, 1.0 - f + f * f, tail);
  double r = __builtin_fma(k, 0x1.62e42feep-1, f - (h - tail));
  r = x <= 0x1.fffffffffffffp+1023 ? r : x;
  r = x == 0.0 ? x : r;
  return x > -1.0 ? r : x == -1.0 ? -__builtin_inf() : __builtin_nan("");
}
)"},
    {"hy_expm1",
     "",
     R"(
/* e^x - 1 = (2^n - 1) + 2^n (r + r^2 p(r)), x = n ln 2 + r; at half scale, so that n = 1024 is in
   range, and with what rounding lost put back. Below 2^-53 the result is x. */
INLINE double hy_expm1(double x) {
  union { double value; long bits; } t, half;
  double y = x > 710.0 ? 710.0 : x;
  y = y < -40.0 ? -40.0 : y;
  t.value = __builtin_fma(y, 0x1.71547652b82fep+0, 0x1.8p+52);
  double n = t.value - 0x1.8p+52;
  double near = __builtin_fma(n, -0x1.62e42fefa39efp-1, y);
  double r = __builtin_fma(n, -0x1.abc9e3b39803fp-56, near);
  double r_lost = __builtin_fma(n, -0x1.abc9e3b39803fp-56, near - r);
  double p = 0x1.1f7ca7ea019dap-29;
  p = __builtin_fma(p, r, 0x1.af3f1912c4464p-26);
  p = __builtin_fma(p, r, 0x1.27e4d647f17a9p-22);
  p = __builtin_fma(p, r, 0x1.71de0a353633p-19);
  p = __builtin_fma(p, r, 0x1.a01a01a8a15fap-16);
  p = __builtin_fma(p, r, 0x1.a01a01a9040f9p-13);
  p = __builtin_fma(p, r, 0x1.6c16c16c15f3dp-10);
  p = __builtin_fma(p, r, 0x1.1111111110709p-7);
  p = __builtin_fma(p, r, 0x1.5555555555556p-5);
  p = __builtin_fma(p, r, 0x1.5555555555556p-3);
  p = __builtin_fma(p, r, 0.5);
  half.bits = (t.bits - 0x4338000000000000 + 1022) << 52;
  double head = half.value - 0.5, step = half.value * r, sum = head + step;
  double lost = step - (sum - head) + (half.value - head - 0.5);
  double result = 2.0 * (sum + (half.value * __builtin_fma(p, r * r, r_lost) + lost));
  return __builtin_fabs(x) < 0x1p-53 ? x : result;
}
)"},
    {"hy_sigmoid",
     "hy_exp",
     R"(
/* 1 / (1 + e^-x) without overflow on either side. */
INLINE double hy_sigmoid(double x) {
  double e = hy_exp(-__builtin_fabs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
)"},
    {"hy_softplus",
     "hy_exp hy_log1p",
     R"(
/* log(1 + e^x) without overflow. */
INLINE double hy_softplus(double x) {
  double above = x > 0.0 ? x : 0.0;
  double r = above + hy_log1p(hy_exp(-__builtin_fabs(x)));
  return x == x ? r : x;
}
)"},
    {"hy_round",
     "",
     R"(
/* Halves go away from zero. */
INLINE double hy_round(double x) {
  return __builtin_trunc(x + __builtin_copysign(0x1.fffffffffffffp-2, x));
}
)"},
    {"hy_erfcx",
     "hy_exp vector_erfc",
     R"(
/* e^(x^2) erfc x: with the rounding error of x^2 put back, and by its asymptotic series from 26. */
INLINE double hy_erfcx(double x) {
  double square = x * x, lost = __builtin_fma(x, x, -square);
  double near = hy_exp(square) * vector_erfc(x);
  near = near <= 0x1.fffffffffffffp+1023 ? __builtin_fma(near, lost, near) : near;
  double t = 0.5 / square, series = 1.0 - 13.0 * t;
  series = 1.0 - 9.0 * t * (1.0 - 11.0 * t * series);
  series = 1.0 - t * (1.0 - 3.0 * t * (1.0 - 5.0 * t * (1.0 - 7.0 * t * series)));
  double far = series * 0x1.20dd750429b6dp-1 / x;
  double below = square > 709.8 ? __builtin_inf() : near;
  return x > 26.0 ? far : x < 0.0 ? below : near;
}
)"},
    {"hy_erfinv",
     "hy_erf_inverse",
     R"(
INLINE double hy_erfinv(double x) {
  double a = __builtin_fabs(x);
  return __builtin_copysign(hy_erf_inverse(a, 1.0 - a), x);
}
)"},
    {"hy_erfcinv",
     "hy_erf_inverse",
     R"(
INLINE double hy_erfcinv(double x) {
  double r = hy_erf_inverse(x < 1.0 ? 1.0 - x : x - 1.0, x < 1.0 ? x : 2.0 - x);
  return x < 1.0 ? r : -r;
}
)"},
    {"hy_erf_inverse",
     "hy_exp hy_log erf vector_erfc sqrt",
     R"(
/* The y >= 0 with erf y = a and erfc y = b, a + b = 1: Winitzki's closed form, good to 1 %, and
   four steps of Halley's method. */
INLINE double hy_erf_inverse(double a, double b) {
  double l = hy_log(b * (1.0 + a)), t = 4.3307467508 + 0.5 * l;
  double y = sqrt(sqrt(t * t - l * 6.8027210884) - t);
  for (int step = 0; step < 4; step++) {
    double error = a < 0.5 ? erf(y) - a : b - vector_erfc(y);
    double newton = error / (0x1.20dd750429b6dp+0 * hy_exp(-y * y));
    y -= newton / (1.0 + y * newton);
  }
  y = b == 0.0 ? __builtin_inf() : y;
  y = b == 1.0 ? 0x1.c5bf891b4ef6bp-1 * a : y;
  return a >= 0.0 && b >= 0.0 ? y : __builtin_nan("");
}
)"},
    {"hy_digamma",
     "hy_log tan",
     R"(
/* The derivative of log gamma: reflected to the right half, stepped up to 10, then a series. */
INLINE double hy_digamma(double x) {
  double result = 0.0;
  if (x <= 0.0) {
    if (x == __builtin_floor(x)) return __builtin_nan("");
    double fraction = x - __builtin_rint(x);
    result = -0x1.921fb54442d18p+1 / tan(0x1.921fb54442d18p+1 * fraction);
    x = 1.0 - x;
  }
  for (; x < 10.0; x += 1.0) result -= 1.0 / x;
  double z = 1.0 / (x * x);
  double series = 1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132
      - z * (691.0 / 32760 - z * (1.0 / 12))))));
  return result + hy_log(x) - 0.5 / x - z * series;
}
)"},
};

}  // namespace

std::span<const MathText> float64_math() {
  return texts_f64;
}

}  // namespace hypatia
