// One text in the compilers' vector types, compiled for three vector units; the first call picks.
// Vectors travel by reference, since passing wide ones by value differs between the units.
#include "engine/device/cpu/product_kernels.h"

#include <algorithm>
#include <cstring>

#include "engine/core/cores.h"

namespace hypatia {

namespace {

constexpr std::int64_t depth = 128;  // of the packed panel of b: it stays in the first-level cache

template <class T, std::size_t Bytes>
struct Unit {
  typedef T Vector __attribute__((vector_size(Bytes)));
  static constexpr std::int64_t lanes = static_cast<std::int64_t>(Bytes / sizeof(T));
};

template <class V, class T>
[[gnu::always_inline]] inline void load(V& to, const T* from) {
  __builtin_memcpy(&to, from, sizeof(V));
}

/// The sum of a vector's lanes, by halves.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void sum_lanes(const typename Unit<T, Bytes>::Vector& v, T& sum) {
  if constexpr (Bytes == 16) {
    sum = 0;
    for (int lane = 0; lane < Unit<T, 16>::lanes; ++lane)
      sum += v[lane];
  } else {
    typename Unit<T, Bytes / 2>::Vector low, high;
    __builtin_memcpy(&low, &v, Bytes / 2);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + Bytes / 2, Bytes / 2);
    low += high;
    sum_lanes<T, Bytes / 2>(low, sum);
  }
}

/// `to` times beta plus alpha times `sum`.
template <class T, class P>
[[gnu::always_inline]] inline void put(T& to, T sum, const P& p) {
  to = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * to;
}

/// Dot products of x with `Rows` rows of a: each load of x serves them all.
template <class T, std::size_t Bytes, int Rows>
[[gnu::always_inline]] inline void dot_rows(const VectorProduct<T>& p, std::int64_t row) {
  using V = typename Unit<T, Bytes>::Vector;
  constexpr std::int64_t lanes = Unit<T, Bytes>::lanes;
  const T* a = p.a + row * p.a_row;
  V sums[std::size_t{Rows}] = {};
  std::int64_t l = 0;
  for (; l + lanes <= p.k; l += lanes) {
    V x;
    load(x, p.x + l);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V of_row;
      load(of_row, a + r * p.a_row + l);
      sums[r] += of_row * x;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    T sum;
    sum_lanes<T, Bytes>(sums[r], sum);
    for (std::int64_t tail = l; tail < p.k; ++tail)
      sum += a[r * p.a_row + tail] * p.x[tail];
    put(p.y[(row + r) * p.y_step], sum, p);
  }
}

template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void by_rows(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  for (; first + 8 <= last; first += 8)
    dot_rows<T, Bytes, 8>(p, first);
  for (; first < last; ++first)
    dot_rows<T, Bytes, 1>(p, first);
}

/// sums += `Columns` columns of a from l on, times their elements of x.
template <class T, std::size_t Bytes, int Columns>
[[gnu::always_inline]] inline void add_columns(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t count, std::int64_t l, T* sums) {
  using V = typename Unit<T, Bytes>::Vector;
  constexpr std::int64_t lanes = Unit<T, Bytes>::lanes;
  const T* a = p.a + first + l * p.a_column;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    V sum;
    load(sum, sums + i);
#pragma GCC unroll 16
    for (int c = 0; c < Columns; ++c) {
      V of_column;
      load(of_column, a + c * p.a_column + i);
      sum += of_column * p.x[l + c];
    }
    __builtin_memcpy(sums + i, &sum, sizeof sum);
  }
  for (; i < count; ++i) {
    for (int c = 0; c < Columns; ++c)
      sums[i] += a[c * p.a_column + i] * p.x[l + c];
  }
}

/// Eight columns a pass, over stretches of y that stay in the first-level cache.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void by_columns(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t stretch = 1024;
  alignas(64) T sums[stretch];
  for (; first < last; first += stretch) {
    const std::int64_t count = std::min(stretch, last - first);
    std::fill(sums, sums + count, T{0});
    std::int64_t l = 0;
    for (; l + 8 <= p.k; l += 8)
      add_columns<T, Bytes, 8>(p, first, count, l, sums);
    for (; l < p.k; ++l)
      add_columns<T, Bytes, 1>(p, first, count, l, sums);
    for (std::int64_t i = 0; i < count; ++i)
      put(p.y[(first + i) * p.y_step], sums[i], p);
  }
}

/// The last columns first: those that a caller has just read.
template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void add_all_columns(
    const VectorProduct<T>& p, std::int64_t count, std::int64_t first, std::int64_t last) {
  for (; last - 8 >= first; last -= 8)
    add_columns<T, Bytes, 8>(p, 0, count, last - 8, p.y);
  for (; last > first; --last)
    add_columns<T, Bytes, 1>(p, 0, count, last - 1, p.y);
}

/// One panel: `panel` holds rows [from, from + count) of b, two vectors wide and padded with zeros.
template <class T, std::size_t Bytes, int Rows>
[[gnu::always_inline]] inline void multiply_panel(
    const BlockProduct<T>& p,
    const T* panel,
    std::int64_t from,
    std::int64_t count,
    std::int64_t row,
    std::int64_t column,
    std::int64_t columns) {
  using V = typename Unit<T, Bytes>::Vector;
  constexpr std::int64_t lanes = Unit<T, Bytes>::lanes;
  V left[std::size_t{Rows}] = {}, right[std::size_t{Rows}] = {};
  const T* a = p.a + row * p.a_row + from * p.a_column;
  for (std::int64_t l = 0; l < count; ++l) {
    V b_left, b_right;
    load(b_left, panel + l * 2 * lanes);
    load(b_right, panel + l * 2 * lanes + lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const T factor = a[r * p.a_row + l * p.a_column];
      left[r] += b_left * factor;
      right[r] += b_right * factor;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    T sums[2 * Bytes / sizeof(T)];
    __builtin_memcpy(sums, &left[r], Bytes);
    __builtin_memcpy(sums + lanes, &right[r], Bytes);
    T* c = p.c + (row + r) * p.c_row + column * p.c_column;
    for (std::int64_t j = 0; j < columns; ++j) {
      T& to = c[j * p.c_column];
      if (from == 0) {
        put(to, sums[j], p);
      } else {
        to += p.alpha * sums[j];
      }
    }
  }
}

/// `Rows` is as many as the registers hold.
template <class T, std::size_t Bytes, int Rows>
[[gnu::always_inline]] inline void block(
    const BlockProduct<T>& p,
    std::int64_t row,
    std::int64_t row_end,
    std::int64_t column,
    std::int64_t column_end) {
  constexpr std::int64_t width = 2 * Unit<T, Bytes>::lanes;
  alignas(64) T panel[std::size_t{depth} * 2 * Bytes / sizeof(T)];
  for (std::int64_t from = 0; from < p.k; from += depth) {
    const std::int64_t count = std::min(depth, p.k - from);
    for (std::int64_t j = column; j < column_end; j += width) {
      const std::int64_t columns = std::min(width, column_end - j);
      for (std::int64_t l = 0; l < count; ++l) {
        const T* b = p.b + (from + l) * p.b_row + j * p.b_column;
        for (std::int64_t i = 0; i < width; ++i)
          panel[l * width + i] = i < columns ? b[i * p.b_column] : T{0};
      }
      std::int64_t i = row;
      for (; i + Rows <= row_end; i += Rows)
        multiply_panel<T, Bytes, Rows>(p, panel, from, count, i, j, columns);
      for (; i + 4 <= row_end; i += 4)
        multiply_panel<T, Bytes, 4>(p, panel, from, count, i, j, columns);
      for (; i < row_end; ++i)
        multiply_panel<T, Bytes, 1>(p, panel, from, count, i, j, columns);
    }
  }
}

// The text once for each vector unit.
/// Sums of `Vectors` vectors of columns side by side: lines that other cores have written come
/// while more are asked for.
template <class T, std::size_t Bytes, int Vectors>
[[gnu::always_inline]] inline void sum_vectors(const VectorProduct<T>& p, std::int64_t column) {
  using V = typename Unit<T, Bytes>::Vector;
  constexpr std::int64_t lanes = Unit<T, Bytes>::lanes;
  V sums[std::size_t{Vectors}] = {};
  for (std::int64_t row = 0; row < p.k; ++row) {
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
      V of_row;
      load(of_row, p.a + row * p.a_row + column + v * lanes);
      sums[v] += of_row;
    }
  }
#pragma GCC unroll 16
  for (int v = 0; v < Vectors; ++v) {
    T* y = p.y + column + v * lanes;
    sums[v] *= p.alpha;
    if (p.beta != 0) {
      V old;
      load(old, y);
      sums[v] += old * p.beta;
    }
    __builtin_memcpy(y, &sums[v], sizeof sums[v]);
  }
}

template <class T, std::size_t Bytes>
[[gnu::always_inline]] inline void sum_columns(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t lanes = Unit<T, Bytes>::lanes;
  if (p.y_step == 1) {
    for (; first + 4 * lanes <= last; first += 4 * lanes)
      sum_vectors<T, Bytes, 4>(p, first);
    for (; first + lanes <= last; first += lanes)
      sum_vectors<T, Bytes, 1>(p, first);
  }
  for (; first < last; ++first) {
    T sum = 0;
    for (std::int64_t row = 0; row < p.k; ++row)
      sum += p.a[row * p.a_row + first];
    put(p.y[first * p.y_step], sum, p);
  }
}

template <class T>
void rows_plain(const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_rows<T, 16>(p, first, last);
}

template <class T>
void columns_plain(const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_columns<T, 16>(p, first, last);
}

template <class T>
void add_plain(
    const VectorProduct<T>& p, std::int64_t count, std::int64_t first, std::int64_t last) {
  add_all_columns<T, 16>(p, count, first, last);
}

template <class T>
void sums_plain(const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  sum_columns<T, 16>(p, first, last);
}

template <class T>
void block_plain(
    const BlockProduct<T>& p,
    std::int64_t row,
    std::int64_t row_end,
    std::int64_t column,
    std::int64_t column_end) {
  block<T, 16, 4>(p, row, row_end, column, column_end);
}

template <class T>
constexpr ProductKernels<T> kernels_plain{
    rows_plain<T>, columns_plain<T>, add_plain<T>, sums_plain<T>, block_plain<T>};

#if defined(__x86_64__)

template <class T>
[[gnu::target("avx2,fma")]] void rows_avx2(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_rows<T, 32>(p, first, last);
}

template <class T>
[[gnu::target("avx2,fma")]] void columns_avx2(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_columns<T, 32>(p, first, last);
}

template <class T>
[[gnu::target("avx2,fma")]] void add_avx2(
    const VectorProduct<T>& p, std::int64_t count, std::int64_t first, std::int64_t last) {
  add_all_columns<T, 32>(p, count, first, last);
}

template <class T>
[[gnu::target("avx2,fma")]] void sums_avx2(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  sum_columns<T, 32>(p, first, last);
}

template <class T>
[[gnu::target("avx2,fma")]] void block_avx2(
    const BlockProduct<T>& p,
    std::int64_t row,
    std::int64_t row_end,
    std::int64_t column,
    std::int64_t column_end) {
  block<T, 32, 6>(p, row, row_end, column, column_end);
}

template <class T>
constexpr ProductKernels<T> kernels_avx2{
    rows_avx2<T>, columns_avx2<T>, add_avx2<T>, sums_avx2<T>, block_avx2<T>};

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void rows_avx512(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_rows<T, 64>(p, first, last);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void columns_avx512(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  by_columns<T, 64>(p, first, last);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void add_avx512(
    const VectorProduct<T>& p, std::int64_t count, std::int64_t first, std::int64_t last) {
  add_all_columns<T, 64>(p, count, first, last);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void sums_avx512(
    const VectorProduct<T>& p, std::int64_t first, std::int64_t last) {
  sum_columns<T, 64>(p, first, last);
}

template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void block_avx512(
    const BlockProduct<T>& p,
    std::int64_t row,
    std::int64_t row_end,
    std::int64_t column,
    std::int64_t column_end) {
  block<T, 64, 12>(p, row, row_end, column, column_end);
}

template <class T>
constexpr ProductKernels<T> kernels_avx512{
    rows_avx512<T>, columns_avx512<T>, add_avx512<T>, sums_avx512<T>, block_avx512<T>};

#endif

template <class T>
const ProductKernels<T>& pick() {
#if defined(__x86_64__)
  if (has_avx512()) return kernels_avx512<T>;
  if (has_avx2()) return kernels_avx2<T>;
#endif
  return kernels_plain<T>;
}

}  // namespace

template <>
const ProductKernels<float>& product_kernels<float>() {
  static const ProductKernels<float>& kernels = pick<float>();
  return kernels;
}

template <>
const ProductKernels<double>& product_kernels<double>() {
  static const ProductKernels<double>& kernels = pick<double>();
  return kernels;
}

}  // namespace hypatia
