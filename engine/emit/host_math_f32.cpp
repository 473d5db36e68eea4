// The float32 functions. Those used most are branch-free polynomials within one unit in the last
// place; the rest compute in float64 and round once. Coefficients are minimax on the ranges stated.
#include "engine/emit/host_math_text.h"

namespace hypatia {

namespace {

constexpr MathText texts_f32[] = {
    {"hy_expf_rest",
     "",
     R"(
/* e^r with x = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds x / ln 2 to the integer n and
   leaves n in the low bits. */
INLINE float hy_expf_rest(float x, int* n_below) {
  union { float value; int bits; } t;
  t.value = __builtin_fmaf(x, 0x1.715476p+0f, 0x1.8p+23f);
  *n_below = t.bits;
  float n = t.value - 0x1.8p+23f;
  float r = __builtin_fmaf(n, -0x1.62e43p-1f, x);
  r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
  float p = 0x1.68512ap-10f;
  p = __builtin_fmaf(p, r, 0x1.123bd4p-7f);
  p = __builtin_fmaf(p, r, 0x1.555b98p-5f);
  p = __builtin_fmaf(p, r, 0x1.55548ep-3f);
  p = __builtin_fmaf(p, r, 0x1.fffff8p-2f);
  p = __builtin_fmaf(p, r, 1.0f);
  return __builtin_fmaf(p, r, 1.0f);
}
)"},
    {"hy_expf",
     "hy_expf_rest",
     R"(
/* e^x = 2^n e^r: n is added to the exponent of e^r; results near and below the normal range get
   there by way of 2^64 times them, so that they round once. From -104 down it is 0: bits of lower
   floats are larger unsigned numbers. */
INLINE float hy_expf(float x) {
  union { float value; unsigned bits; } y;
  union { float value; int bits; } power;
  int n_below;
  y.value = x;
  y.bits = y.bits > 0xc2d00000u ? 0xc2d00000u : y.bits;
  float p = hy_expf_rest(y.value, &n_below);
  int low = x < -86.0f;
  power.value = low ? p * 0x1p+64f : p;
  power.bits += n_below << 23;
  float result = low ? power.value * 0x1p-64f : power.value;
  return x <= 0x1.62e42ep+6f ? result : x + __builtin_inff();
}
)"},
    {"hy_expf_usual",
     "hy_expf_rest",
     R"(
/* hy_expf for |x| <= 86, where nothing rounds twice or overflows; `largest` gathers the bits of
   |x|, which are ordered as the numbers are, and NaN above all. */
INLINE float hy_expf_usual(float x, int* largest) {
  union { float value; int bits; } size, power;
  int n_below;
  size.value = x;
  size.bits &= 0x7fffffff;
  *largest = *largest > size.bits ? *largest : size.bits;
  power.value = hy_expf_rest(x, &n_below);
  power.bits += n_below << 23;
  return power.value;
}
INLINE int hy_expf_was_usual(int largest) { return largest <= 0x42ac0000; }
)"},
    {"hy_logf",
     "",
     R"(
/* log x = e ln 2 + log m with x = 2^e m, sqrt(1/2) <= m < sqrt(2), and log m = f - f^2/2 + f^3 p(f)
   with f = m - 1. What rounding e ln 2 + f lost is put back. Subnormal x is scaled up first. */
INLINE float hy_logf(float x) {
  union { float value; int bits; } u, m;
  int tiny = x < 0x1p-126f;
  u.value = tiny ? x * 0x1p+23f : x;
  int e = (u.bits - 0x3f3504f3) >> 23;
  m.bits = u.bits - (e << 23);
  float f = m.value - 1.0f, k = (float)(tiny ? e - 23 : e);
  float p = 0x1.2cb38cp-4f;
  p = __builtin_fmaf(p, f, -0x1.ddb316p-4f);
  p = __builtin_fmaf(p, f, 0x1.dc7628p-4f);
  p = __builtin_fmaf(p, f, -0x1.fbbf2ap-4f);
  p = __builtin_fmaf(p, f, 0x1.23de3ep-3f);
  p = __builtin_fmaf(p, f, -0x1.556288p-3f);
  p = __builtin_fmaf(p, f, 0x1.999d2ap-3f);
  p = __builtin_fmaf(p, f, -0x1.ffffe6p-3f);
  p = __builtin_fmaf(p, f, 0x1.555554p-2f);
  float s = f * f;
  float tail = __builtin_fmaf(k, 0x1.7f7d1cp-20f, __builtin_fmaf(f * s, p, -0.5f * s));
  float head = k * 0x1.62e4p-1f, sum = head + f;
  float r = sum + (tail + (f - (sum - head)));
  r = x <= 0x1.fffffep+127f ? r : x;
  return x > 0.0f ? r : x == 0.0f ? -__builtin_inff() : __builtin_nanf("");
}
)"},
    {"hy_log1pf",
     "",
     R"(
/* As log(u) with u = 1 + x, plus what rounding u lost over u, 1 / u being near 1 - f + f^2. */
INLINE float hy_log1pf(float x) {
  union { float value; int bits; } u, m, scale;
  u.value = 1.0f + x;
  float t = u.value - x;
  float lost = (1.0f - t) + (x - (u.value - t));
  int e = (u.bits - 0x3f3504f3) >> 23;
  m.bits = u.bits - (e << 23);
  scale.bits = (127 - (e > 125 ? 125 : e)) << 23;
  float f = m.value - 1.0f, k = (float)e;
  float p = 0x1.2cb38cp-4f;
  p = __builtin_fmaf(p, f, -0x1.ddb316p-4f);
  p = __builtin_fmaf(p, f, 0x1.dc7628p-4f);
  p = __builtin_fmaf(p, f, -0x1.fbbf2ap-4f);
  p = __builtin_fmaf(p, f, 0x1.23de3ep-3f);
  p = __builtin_fmaf(p, f, -0x1.556288p-3f);
  p = __builtin_fmaf(p, f, 0x1.999d2ap-3f);
  p = __builtin_fmaf(p, f, -0x1.ffffe6p-3f);
  p = __builtin_fmaf(p, f, 0x1.555554p-2f);
  float s = f * f;
  float tail = __builtin_fmaf(k, 0x1.7f7d1cp-20f, __builtin_fmaf(f * s, p, -0.5f * s));
  tail = __builtin_fmaf(lost * scale.value, 1.0f - f + s, tail);
  float head = k * 0x1.62e4p-1f, sum = head + f;
  float r = sum + (tail + (f - (sum - head)));
  r = x <= 0x1.fffffep+127f ? r : x;
  r = x == 0.0f ? x : r;
  return x > -1.0f ? r : x == -1.0f ? -__builtin_inff() : __builtin_nanf("");
}
)"},
    {"hy_expm1f",
     "",
     R"(
/* e^x - 1 = (2^n - 1) + 2^n (r + r^2 p(r)), x = n ln 2 + r; at half scale, so that n = 128 is in
   range, and with what rounding lost put back. Below 2^-24 the result is x. */
INLINE float hy_expm1f(float x) {
  union { int bits; float value; } half;
  float y = x > 89.0f ? 89.0f : x;
  y = y < -18.0f ? -18.0f : y;
  float n = __builtin_rintf(y * 0x1.715476p+0f);
  float near = __builtin_fmaf(n, -0x1.62e43p-1f, y);
  float r = __builtin_fmaf(n, 0x1.05c61p-29f, near);
  float r_lost = __builtin_fmaf(n, 0x1.05c61p-29f, near - r);
  float p = 0x1.a37c8cp-13f;
  p = __builtin_fmaf(p, r, 0x1.6d1008p-10f);
  p = __builtin_fmaf(p, r, 0x1.110f7ep-7f);
  p = __builtin_fmaf(p, r, 0x1.55551ap-5f);
  p = __builtin_fmaf(p, r, 0x1.555556p-3f);
  p = __builtin_fmaf(p, r, 0.5f);
  half.bits = ((int)n + 126) << 23;
  float head = half.value - 0.5f, step = half.value * r, sum = head + step;
  float lost = step - (sum - head) + (half.value - head - 0.5f);
  float result = 2.0f * (sum + (half.value * __builtin_fmaf(p, r * r, r_lost) + lost));
  return __builtin_fabsf(x) < 0x1p-24f ? x : result;
}
)"},
    {"hy_tanhf",
     "hy_expf",
     R"(
/* tanh x = x + x^3 p(x^2) up to 1, and 1 - 2 / (e^2x + 1) above. */
INLINE float hy_tanhf(float x) {
  float a = __builtin_fabsf(x), s = x * x;
  float p = 0x1.4ad2b2p-13f;
  p = __builtin_fmaf(p, s, -0x1.00a3fp-10f);
  p = __builtin_fmaf(p, s, 0x1.af19d2p-9f);
  p = __builtin_fmaf(p, s, -0x1.1f09f8p-7f);
  p = __builtin_fmaf(p, s, 0x1.661p-6f);
  p = __builtin_fmaf(p, s, -0x1.ba1c2cp-5f);
  p = __builtin_fmaf(p, s, 0x1.11113p-3f);
  p = __builtin_fmaf(p, s, -0x1.555556p-2f);
  float small = __builtin_fmaf(p * s, a, a);
  float large = 1.0f - 2.0f / (hy_expf(2.0f * a) + 1.0f);
  return __builtin_copysignf(a < 1.0f ? small : large, x);
}
)"},
    {"hy_sigmoidf",
     "hy_expf",
     R"(
/* 1 / (1 + e^-x) without overflow on either side. */
INLINE float hy_sigmoidf(float x) {
  float e = hy_expf(-__builtin_fabsf(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}
)"},
    {"hy_softplusf",
     "hy_expf hy_log1pf",
     R"(
/* log(1 + e^x) without overflow. */
INLINE float hy_softplusf(float x) {
  float above = x > 0.0f ? x : 0.0f;
  float r = above + hy_log1pf(hy_expf(-__builtin_fabsf(x)));
  return x == x ? r : x;
}
)"},
    {"hy_roundf",
     "",
     R"(
/* Halves go away from zero. */
INLINE float hy_roundf(float x) {
  return __builtin_truncf(x + __builtin_copysignf(0x1.fffffep-2f, x));
}
)"},
    {"hy_stream",
     "",
     R"(
/* Copies past the caches, in the widest stores there are; hy_stream_end orders them before what
   other threads do next. */
#if defined(__AVX512F__)
typedef long long hy_line __attribute__((vector_size(64), may_alias));
#else
typedef long long hy_line __attribute__((vector_size(32), may_alias));
#endif
typedef hy_line hy_any_line __attribute__((aligned(1)));
INLINE void hy_stream(void* to, const void* from, long bytes) {
  char* out = (char*)to;
  const char* in = (const char*)from;
  long i = 0;
  for (; i < bytes && (unsigned long)(out + i) % sizeof(hy_line) != 0; i++) out[i] = in[i];
  for (; i + (long)sizeof(hy_line) <= bytes; i += (long)sizeof(hy_line)) {
    const hy_line line = *(const hy_any_line*)(in + i);
#if defined(__clang__)
    __builtin_nontemporal_store(line, (hy_line*)(out + i));
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512((hy_line*)(out + i), line);
#elif defined(__AVX__)
    __builtin_ia32_movntdq256((hy_line*)(out + i), line);
#else
    *(hy_line*)(out + i) = line;
#endif
  }
  for (; i < bytes; i++) out[i] = in[i];
}
/* Bytes to the next line. */
INLINE long hy_stream_ahead(const void* to) {
  return (long)(-(unsigned long)to % sizeof(hy_line));
}
INLINE void hy_stream_end(void) {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}
)"},
};

}  // namespace

std::span<const MathText> float32_math() {
  return texts_f32;
}

}  // namespace hypatia
