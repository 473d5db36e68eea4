// Loops over whole vectors in the compiler's vector types, and instructions where C has no word.
// This file alone is compiled for the machine at hand (-march=native).
#include "bench/cases/hand.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hypatia::bench {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t bytes = 64;
#else
constexpr std::size_t bytes = 32;
#endif

template <class T>
using Vector [[gnu::vector_size(bytes)]] = T;

template <class T>
constexpr std::int64_t lanes = static_cast<std::int64_t>(bytes / sizeof(T));

template <class T>
Vector<T> load(const T* from) {
  Vector<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class T>
void store(T* to, const Vector<T>& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// Past the caches; `to` is aligned to the vector.
template <class T>
void stream(T* to, const Vector<T>& v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<const __m512i&>(v));
#elif defined(__AVX__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<const __m256i&>(v));
#else
  store(to, v);
#endif
}

#if defined(__AVX512F__)

// e^x = 2^n e^r; vscalef multiplies by 2^n, with subnormal and infinite results right.
Vector<float> exp_of(const Vector<float>& x) {
  const __m512 v = reinterpret_cast<const __m512&>(x);
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(v, _mm512_set1_ps(0x1.715476p+0F)), 8);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e43p-1F), v);
  r = _mm512_fmadd_ps(n, _mm512_set1_ps(0x1.05c61p-29F), r);
  __m512 p = _mm512_set1_ps(0x1.68512ap-10F);
  for (const float c : {0x1.123bd4p-7F, 0x1.555b98p-5F, 0x1.55548ep-3F, 0x1.fffff8p-2F, 1.0F, 1.0F})
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(c));
  const __m512 result = _mm512_scalef_ps(p, n);
  return reinterpret_cast<const Vector<float>&>(result);
}

Vector<double> exp_of(const Vector<double>& x) {
  const __m512d v = reinterpret_cast<const __m512d&>(x);
  const __m512d n = _mm512_roundscale_pd(_mm512_mul_pd(v, _mm512_set1_pd(0x1.71547652b82fep+0)), 8);
  __m512d r = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.62e42fefa39efp-1), v);
  r = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.abc9e3b39803fp-56), r);
  __m512d p = _mm512_set1_pd(0x1.ae07d18cdc178p-26);
  for (const double c :
       {0x1.28b0a7e6bd918p-22,
        0x1.71dece4f4ed9bp-19,
        0x1.a019960d54877p-16,
        0x1.a01a0151c6745p-13,
        0x1.6c16c185eb9b4p-10,
        0x1.1111111120588p-7,
        0x1.555555554fe61p-5,
        0x1.5555555555518p-3,
        0x1.000000000000cp-1,
        1.0,
        1.0})
    p = _mm512_fmadd_pd(p, r, _mm512_set1_pd(c));
  const __m512d result = _mm512_scalef_pd(p, n);
  return reinterpret_cast<const Vector<double>&>(result);
}

#else

// Valid for results in the normal range, which is all that the benchmarks ask for.
template <class T>
Vector<T> exp_of(const Vector<T>& x) {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr bool single = sizeof(T) == 4;
  constexpr T magic = single ? T(12582912) : T(0x1.8p+52);
  const Vector<T> shifted = x * T(1.4426950408889634) + magic, n = shifted - magic;
  const Vector<T> r = x - n * T(single ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1) +
                      n * T(single ? 0x1.05c61p-29 : -0x1.abc9e3b39803fp-56);
  Vector<T> p = r * 0;
  for (int i = single ? 7 : 12; i >= 0; --i)
    p = p * r + T(1 / std::tgamma(i + 1.0));
  Vector<Integer> bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  Vector<Integer> result;
  __builtin_memcpy(&result, &p, sizeof result);
  result += bits << (single ? 23 : 52);
  Vector<T> value;
  __builtin_memcpy(&value, &result, sizeof value);
  return value;
}

#endif

template <class T, class F>
void over(
    const T* a, const T* b, T* y, bool streaming, std::int64_t i, std::int64_t last, F formula) {
  const auto aligned = [&](std::int64_t at) {
    return reinterpret_cast<std::uintptr_t>(y + at) % bytes == 0;
  };
  if (streaming) {
    for (; i < last && !aligned(i); ++i)
      y[i] = formula(a[i], b[i]);
    for (; i + lanes<T> <= last; i += lanes<T>)
      stream<T>(y + i, formula(load(a + i), load(b + i)));
#if defined(__x86_64__)
    _mm_sfence();
#endif
  }
  for (; i + 2 * lanes<T> <= last; i += 2 * lanes<T>) {
    store<T>(y + i, formula(load(a + i), load(b + i)));
    store<T>(y + i + lanes<T>, formula(load(a + i + lanes<T>), load(b + i + lanes<T>)));
  }
  for (; i < last; ++i)
    y[i] = formula(a[i], b[i]);
}

float sum_of(const Vector<float>& v) {
  float sum = 0;
  for (std::int64_t lane = 0; lane < lanes<float>; ++lane)
    sum += v[lane];
  return sum;
}

}  // namespace

template <class T>
void hand_exp(const T* x, T* y, std::int64_t i, std::int64_t last) {
  for (; i + 4 * lanes<T> <= last; i += 4 * lanes<T>) {
    for (std::int64_t part = 0; part < 4; ++part)
      store<T>(y + i + part * lanes<T>, exp_of(load(x + i + part * lanes<T>)));
  }
  for (; i < last; ++i)
    y[i] = std::exp(x[i]);
}

template <class T>
void hand_formula(
    Formula formula,
    const T* a,
    const T* b,
    T* y,
    bool streaming,
    std::int64_t first,
    std::int64_t last) {
  const auto run = [&](auto f) { over(a, b, y, streaming, first, last, f); };
  switch (formula) {
    case Formula::a_plus_1:
      return over(a, a, y, streaming, first, last, [](auto x, auto) { return x + 1; });
    case Formula::linear:
      return run([](auto x, auto z) { return x * 2 + z * 3; });
    case Formula::square:
      return run([](auto x, auto z) { return x * x + z * z + x * z * 2; });
    case Formula::tenth_power:
      break;
  }
  run([](auto x, auto z) {
    const auto second = z * z, fourth = second * second;
    return x * 2 + fourth * fourth * second;
  });
}

template void hand_exp(const float*, float*, std::int64_t, std::int64_t);
template void hand_exp(const double*, double*, std::int64_t, std::int64_t);
template void hand_formula(
    Formula, const float*, const float*, float*, bool, std::int64_t, std::int64_t);
template void hand_formula(
    Formula, const double*, const double*, double*, bool, std::int64_t, std::int64_t);

float hand_logistic_rows(
    const float* x,
    const float* y,
    const float* w,
    float bias,
    std::int64_t columns,
    std::int64_t first,
    std::int64_t last,
    float* prediction,
    float* cross_entropy,
    float* gradient) {
  // Eight rows at a time: their dot products, their elements, and their part of the gradient while
  // they are in the first-level cache.
  constexpr std::int64_t rows = 8;
  float bias_gradient = 0;
  for (; first < last; first += rows) {
    const std::int64_t count = std::min(rows, last - first);
    const float* block = x + first * columns;
    Vector<float> dots[rows] = {};
    float error[rows] = {};
    for (std::int64_t j = 0; j < columns; j += lanes<float>) {
      const Vector<float> weight = load(w + j);
      for (std::int64_t r = 0; r < rows; ++r) {
        if (r < count) dots[r] += load(block + r * columns + j) * weight;
      }
    }
    for (std::int64_t r = 0; r < count; ++r) {
      const float z = sum_of(dots[r]) + bias;
      const float e = std::exp(-std::fabs(z));
      const float p = (z < 0 ? e : 1.0F) / (1 + e);
      prediction[first + r] = p > 0.5F ? 1.0F : 0.0F;
      cross_entropy[first + r] = std::max(z, 0.0F) - y[first + r] * z + std::log1p(e);
      error[r] = p - y[first + r];
      bias_gradient += error[r];
    }
    for (std::int64_t j = 0; j < columns; j += lanes<float>) {
      Vector<float> sum = load(gradient + j);
      for (std::int64_t r = 0; r < rows; ++r) {
        if (r < count) sum += load(block + r * columns + j) * error[r];
      }
      store<float>(gradient + j, sum);
    }
  }
  return bias_gradient;
}

void hand_update(
    float* w, const float* gradients, int rows, std::int64_t columns, float shrink, float scale) {
  for (std::int64_t j = 0; j < columns; j += lanes<float>) {
    Vector<float> sum = load(gradients + j);
    for (int r = 1; r < rows; ++r)
      sum += load(gradients + r * columns + j);
    store<float>(w + j, load(w + j) * shrink - sum * scale);
  }
}

}  // namespace hypatia::bench
