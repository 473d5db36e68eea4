// The prelude's second part: CUDA's functions of floats and integers.
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

const char* const prelude_math = R"cuda(
#define HYPATIA_F static inline float
#define HYPATIA_D static inline double

// name(double) and namef(float) of libm, and the overload name(float).
#define HYPATIA_MATH(name)                                                                     \
  extern "C" double name(double) noexcept;                                                     \
  extern "C" float name##f(float) noexcept;                                                    \
  HYPATIA_F name(float x) { return name##f(x); }
#define HYPATIA_MATH_2(name)                                                                   \
  extern "C" double name(double, double) noexcept;                                             \
  extern "C" float name##f(float, float) noexcept;                                             \
  HYPATIA_F name(float x, float y) { return name##f(x, y); }
extern "C" double exp(double) noexcept;
// In double precision and without a branch, so that the loop over threads is vectorised and the
// result is right but for ties: Taylor's series on |r| <= log(2)/2, off by less than 6e-9.
HYPATIA_F expf(float x) {
  const float clamped = x > 200.0f ? 200.0f : x < -200.0f ? -200.0f : x;
  const double y = static_cast<double>(clamped);
  // Adding and taking away 1.5 * 2^52 rounds to the nearest integer.
  const double shifted = y * 1.44269504088896340736 + 6755399441055744.0;
  const double n = shifted - 6755399441055744.0, r = y - n * 0.69314718055994530942;
  double sum = 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  unsigned long bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  double scale;
  __builtin_memcpy(&scale, &bits, sizeof scale);
  return x != x ? x : static_cast<float>(sum * scale);
}
HYPATIA_F exp(float x) { return expf(x); }
HYPATIA_MATH(sqrt) HYPATIA_MATH(cbrt) HYPATIA_MATH(exp2) HYPATIA_MATH(expm1)
HYPATIA_MATH(log) HYPATIA_MATH(log2) HYPATIA_MATH(log10) HYPATIA_MATH(log1p) HYPATIA_MATH(logb)
HYPATIA_MATH(sin) HYPATIA_MATH(cos) HYPATIA_MATH(tan) HYPATIA_MATH(asin) HYPATIA_MATH(acos)
HYPATIA_MATH(atan) HYPATIA_MATH(sinh) HYPATIA_MATH(cosh) HYPATIA_MATH(tanh) HYPATIA_MATH(asinh)
HYPATIA_MATH(acosh) HYPATIA_MATH(atanh) HYPATIA_MATH(erf) HYPATIA_MATH(erfc)
HYPATIA_MATH(tgamma) HYPATIA_MATH(lgamma) HYPATIA_MATH(floor) HYPATIA_MATH(ceil)
HYPATIA_MATH(trunc) HYPATIA_MATH(round) HYPATIA_MATH(rint) HYPATIA_MATH(nearbyint)
HYPATIA_MATH(fabs)
HYPATIA_MATH_2(atan2) HYPATIA_MATH_2(fmod) HYPATIA_MATH_2(remainder) HYPATIA_MATH_2(hypot)
HYPATIA_MATH_2(copysign) HYPATIA_MATH_2(nextafter) HYPATIA_MATH_2(fdim)
extern "C" {
double pow(double, double) noexcept;
float powf(float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double j0(double) noexcept;
float j0f(float) noexcept;
double j1(double) noexcept;
float j1f(float) noexcept;
double y0(double) noexcept;
float y0f(float) noexcept;
double y1(double) noexcept;
float y1f(float) noexcept;
}
HYPATIA_F pow(float x, float y) { return powf(x, y); }
HYPATIA_F pow(float x, int y) { return powf(x, static_cast<float>(y)); }
HYPATIA_D pow(double x, int y) { return pow(x, static_cast<double>(y)); }
HYPATIA_F exp10f(float x) { return powf(10.0f, x); }
HYPATIA_D exp10(double x) { return pow(10.0, x); }
HYPATIA_F fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HYPATIA_D fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
HYPATIA_F fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
// Comparisons that a loop can be vectorised over; a NaN gives the other operand.
HYPATIA_F fminf(float x, float y) { return x < y || y != y ? x : y; }
HYPATIA_F fmaxf(float x, float y) { return x > y || y != y ? x : y; }
HYPATIA_D fmin(double x, double y) { return x < y || y != y ? x : y; }
HYPATIA_D fmax(double x, double y) { return x > y || y != y ? x : y; }
HYPATIA_F fmin(float x, float y) { return fminf(x, y); }
HYPATIA_F fmax(float x, float y) { return fmaxf(x, y); }
HYPATIA_D fmin(double x, float y) { return fmin(x, static_cast<double>(y)); }
HYPATIA_D fmin(float x, double y) { return fmin(static_cast<double>(x), y); }
HYPATIA_D fmax(double x, float y) { return fmax(x, static_cast<double>(y)); }
HYPATIA_D fmax(float x, double y) { return fmax(static_cast<double>(x), y); }
HYPATIA_D pow(double x, float y) { return pow(x, static_cast<double>(y)); }
HYPATIA_D pow(float x, double y) { return pow(static_cast<double>(x), y); }
HYPATIA_F rsqrtf(float x) { return 1.0f / sqrtf(x); }
HYPATIA_D rsqrt(double x) { return 1.0 / sqrt(x); }
HYPATIA_F rsqrt(float x) { return rsqrtf(x); }
HYPATIA_F rcbrtf(float x) { return 1.0f / cbrtf(x); }
HYPATIA_D rcbrt(double x) { return 1.0 / cbrt(x); }
static inline void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
static inline void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
#define HYPATIA_PI 3.14159265358979323846
HYPATIA_D sinpi(double x) { x = fmod(x, 2.0); return sin(x * HYPATIA_PI); }
HYPATIA_D cospi(double x) { x = fmod(x, 2.0); return cos(x * HYPATIA_PI); }
HYPATIA_F sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
HYPATIA_F cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
HYPATIA_D normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
HYPATIA_F normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
// Newton's method on erfc from Winitzki's approximation; erfc keeps the digits of the tails.
static inline double erfcinv(double y) {
  if (!(y > 0.0) || !(y < 2.0)) {
    return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  }
  const double small = y < 1.0 ? y : 2.0 - y;
  const double w = log(small * (2.0 - small)), t = 4.3307467508 + 0.5 * w;
  double x = sqrt(sqrt(t * t - w * 6.8027210884) - t);
  for (int i = 0; i < 5; ++i) {
    const double slope = 1.12837916709551257390 * exp(-x * x);
    const double error = erfc(x) - small;
    if (slope == 0.0) break;
    const double step = error / slope;
    x += step / (1.0 - x * step);
  }
  return y < 1.0 ? x : -x;
}
HYPATIA_D erfinv(double y) {
  if (fabs(y) > 0.5) return y > 0.0 ? erfcinv(1.0 - y) : -erfcinv(1.0 + y);
  double x = y * 0.88622692545275801365;
  for (int i = 0; i < 4; ++i) {
    const double step = (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return x;
}
HYPATIA_F erfinvf(float y) { return static_cast<float>(erfinv(static_cast<double>(y))); }
HYPATIA_F erfcinvf(float y) { return static_cast<float>(erfcinv(static_cast<double>(y))); }
HYPATIA_D erfcx(double x) {
  if (x < 25.0) return exp(x * x) * erfc(x);
  const double w = 0.5 / (x * x);
  const double series = 1 - w * (1 - 3 * w * (1 - 5 * w * (1 - 7 * w * (1 - 9 * w))));
  return 0.56418958354775628695 / x * series;
}
HYPATIA_F erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }

template <class T> static inline bool isnan(T x) { return x != x; }
template <class T> static inline bool isinf(T x) { return __builtin_isinf(x); }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x); }

static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
HYPATIA_F abs(float x) { return fabsf(x); }
HYPATIA_D abs(double x) { return fabs(x); }
static inline long labs(long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
#define HYPATIA_MIN_MAX(R, A, B)                                                               \
  static inline R min(A a, B b) { const R x = static_cast<R>(a), y = static_cast<R>(b);        \
                                  return x < y ? x : y; }                                      \
  static inline R max(A a, B b) { const R x = static_cast<R>(a), y = static_cast<R>(b);        \
                                  return x > y ? x : y; }
HYPATIA_MIN_MAX(int, int, int) HYPATIA_MIN_MAX(unsigned int, unsigned int, unsigned int)
HYPATIA_MIN_MAX(unsigned int, int, unsigned int) HYPATIA_MIN_MAX(unsigned int, unsigned int, int)
HYPATIA_MIN_MAX(long, long, long) HYPATIA_MIN_MAX(unsigned long, unsigned long, unsigned long)
HYPATIA_MIN_MAX(unsigned long, long, unsigned long)
HYPATIA_MIN_MAX(unsigned long, unsigned long, long)
HYPATIA_MIN_MAX(long long, long long, long long)
HYPATIA_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HYPATIA_MIN_MAX(unsigned long long, long long, unsigned long long)
HYPATIA_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef HYPATIA_MIN_MAX
HYPATIA_F min(float a, float b) { return fminf(a, b); }
HYPATIA_F max(float a, float b) { return fmaxf(a, b); }
HYPATIA_D min(double a, double b) { return fmin(a, b); }
HYPATIA_D max(double a, double b) { return fmax(a, b); }
HYPATIA_D min(float a, double b) { return fmin(static_cast<double>(a), b); }
HYPATIA_D max(float a, double b) { return fmax(static_cast<double>(a), b); }
HYPATIA_D min(double a, float b) { return fmin(a, static_cast<double>(b)); }
HYPATIA_D max(double a, float b) { return fmax(a, static_cast<double>(b)); }

// Intrinsics: the simulator computes them to full precision.
HYPATIA_F __expf(float x) { return expf(x); }
HYPATIA_F __exp10f(float x) { return exp10f(x); }
HYPATIA_F __logf(float x) { return logf(x); }
HYPATIA_F __log2f(float x) { return log2f(x); }
HYPATIA_F __log10f(float x) { return log10f(x); }
HYPATIA_F __sinf(float x) { return sinf(x); }
HYPATIA_F __cosf(float x) { return cosf(x); }
HYPATIA_F __tanf(float x) { return tanf(x); }
static inline void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
HYPATIA_F __powf(float x, float y) { return powf(x, y); }
HYPATIA_F __fdividef(float x, float y) { return x / y; }
HYPATIA_F __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
HYPATIA_F __frcp_rn(float x) { return 1.0f / x; }
HYPATIA_F __fsqrt_rn(float x) { return sqrtf(x); }
HYPATIA_F __frsqrt_rn(float x) { return rsqrtf(x); }
HYPATIA_F __fdiv_rn(float x, float y) { return x / y; }
HYPATIA_F __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
HYPATIA_D __fma_rn(double x, double y, double z) { return fma(x, y, z); }
HYPATIA_D __drcp_rn(double x) { return 1.0 / x; }
HYPATIA_D __dsqrt_rn(double x) { return sqrt(x); }
HYPATIA_D __ddiv_rn(double x, double y) { return x / y; }
// Never contracted into a multiply-add, which is what they are for.
#define HYPATIA_ROUNDED __attribute__((noinline)) static
HYPATIA_ROUNDED float __fadd_rn(float x, float y) { return x + y; }
HYPATIA_ROUNDED float __fsub_rn(float x, float y) { return x - y; }
HYPATIA_ROUNDED float __fmul_rn(float x, float y) { return x * y; }
HYPATIA_ROUNDED double __dadd_rn(double x, double y) { return x + y; }
HYPATIA_ROUNDED double __dsub_rn(double x, double y) { return x - y; }
HYPATIA_ROUNDED double __dmul_rn(double x, double y) { return x * y; }
#undef HYPATIA_ROUNDED

template <class R, class T> static inline R hyp_bits(T value) {
  static_assert(sizeof(R) == sizeof(T), "");
  R result;
  __builtin_memcpy(&result, &value, sizeof(R));
  return result;
}
static inline int __float_as_int(float x) { return hyp_bits<int>(x); }
static inline unsigned int __float_as_uint(float x) { return hyp_bits<unsigned int>(x); }
HYPATIA_F __int_as_float(int x) { return hyp_bits<float>(x); }
HYPATIA_F __uint_as_float(unsigned int x) { return hyp_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return hyp_bits<long long>(x); }
HYPATIA_D __longlong_as_double(long long x) { return hyp_bits<double>(x); }
static inline int __double2hiint(double x) {
  return static_cast<int>(hyp_bits<unsigned long>(x) >> 32);
}
static inline int __double2loint(double x) { return static_cast<int>(hyp_bits<unsigned long>(x)); }
HYPATIA_D __hiloint2double(int high, int low) {
  return hyp_bits<double>(
      static_cast<unsigned long>(static_cast<unsigned int>(high)) << 32 |
      static_cast<unsigned int>(low));
}
static inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
static inline int __float2int_rz(float x) { return static_cast<int>(x); }
static inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
static inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
static inline unsigned int __float2uint_rn(float x) { return static_cast<unsigned int>(rintf(x)); }
static inline unsigned int __float2uint_rz(float x) { return static_cast<unsigned int>(x); }
HYPATIA_F __int2float_rn(int x) { return static_cast<float>(x); }
HYPATIA_F __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
HYPATIA_F __ll2float_rn(long long x) { return static_cast<float>(x); }
HYPATIA_F __double2float_rn(double x) { return static_cast<float>(x); }
static inline int __double2int_rn(double x) { return static_cast<int>(rint(x)); }
static inline int __double2int_rz(double x) { return static_cast<int>(x); }
HYPATIA_D __int2double_rn(int x) { return x; }
static inline long lrint(double x) { return static_cast<long>(rint(x)); }
static inline long lrintf(float x) { return static_cast<long>(rintf(x)); }
static inline long lround(double x) { return static_cast<long>(round(x)); }
static inline long lroundf(float x) { return static_cast<long>(roundf(x)); }
static inline long long llrint(double x) { return static_cast<long long>(rint(x)); }
static inline long long llround(double x) { return static_cast<long long>(round(x)); }

static inline int __popc(unsigned int x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned int>(x)) : 32; }
static inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned int __brev(unsigned int x) {
  unsigned int result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1u) << (31 - i);
  return result;
}
static inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
  const unsigned long both = static_cast<unsigned long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= static_cast<unsigned int>(both >> (s >> 4 * i & 7u) * 8 & 255u) << 8 * i;
  }
  return result;
}
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int n) {
  n &= 31u;
  return n ? high << n | low >> (32u - n) : high;
}
static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int n) {
  n &= 31u;
  return n ? low >> n | high << (32u - n) : low;
}
static inline int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
static inline unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
static inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long>(x) * y >> 32);
}
static inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long>(x) * y >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
static inline int __sad(int x, int y, unsigned int z) {
  return static_cast<int>(static_cast<unsigned int>(x < y ? y - x : x - y) + z);
}
#undef HYPATIA_MATH
#undef HYPATIA_MATH_2
#undef HYPATIA_F
#undef HYPATIA_D
)cuda";

}  // namespace hypatia::sim
