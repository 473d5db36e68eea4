// Matrix products: what is degenerate, what overlaps, who computes what, and how threads share it.
#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/storage.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/pool.h"
#include "engine/device/cpu/product_kernels.h"

namespace hypatia {

namespace {

// Multiply-adds worth a thread: about 2 microseconds.
constexpr std::int64_t work_per_thread = 130'000;
// Elements of a matrix read, worth a thread in a matrix-vector product.
constexpr std::int64_t reads_per_thread = 30'000;

template <class T>
using Gemm = void (*)(
    const char* trans_a,
    const char* trans_b,
    const int* m,
    const int* n,
    const int* k,
    const T* alpha,
    const T* a,
    const int* lda,
    const T* b,
    const int* ldb,
    const T* beta,
    T* c,
    const int* ldc);

template <class T>
Gemm<T> gemm() {
  static const Gemm<T> found =
      reinterpret_cast<Gemm<T>>(blas_function(sizeof(T) == 4 ? "sgemm_" : "dgemm_"));
  return found;
}

/// One operand's part in a call of the BLAS, whose matrices are column by column.
struct Layout {
  bool fits = false, transposed = false;
  int step = 0;
};

/// How rows × columns with these strides look to the BLAS, as the transpose of what we mean: our
/// rows are its columns.
Layout layout(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t column) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const auto fits = [](std::int64_t step, std::int64_t least) {
    return step >= std::max<std::int64_t>(least, 1) && step <= most;
  };
  if ((column == 1 || columns == 1) && (rows == 1 || fits(row, columns))) {
    return {true, false, static_cast<int>(rows == 1 ? std::max<std::int64_t>(columns, 1) : row)};
  }
  if ((row == 1 || rows == 1) && (columns == 1 || fits(column, rows))) {
    return {true, true, static_cast<int>(columns == 1 ? std::max<std::int64_t>(rows, 1) : column)};
  }
  return {};
}

template <class T>
BlockProduct<T> block_of(const MatrixProduct& p, std::int64_t batch) {
  return {
      static_cast<const T*>(p.a) + batch * p.a_batch,
      static_cast<const T*>(p.b) + batch * p.b_batch,
      static_cast<T*>(p.c) + batch * p.c_batch,
      p.a_row,
      p.a_column,
      p.b_row,
      p.b_column,
      p.c_row,
      p.c_column,
      p.k,
      static_cast<T>(p.alpha),
      static_cast<T>(p.beta),
  };
}

/// The block [i, i_end) × [j, j_end) of c, by the BLAS where it takes the strides.
template <class T>
void multiply_block(
    const BlockProduct<T>& p,
    std::int64_t i,
    std::int64_t i_end,
    std::int64_t j,
    std::int64_t j_end) {
  const std::int64_t m = i_end - i, n = j_end - j;
  const Layout a = layout(m, p.k, p.a_row, p.a_column), b = layout(p.k, n, p.b_row, p.b_column);
  const Layout c = layout(m, n, p.c_row, p.c_column);
  const bool small = std::max({m, n, p.k}) > std::numeric_limits<int>::max();
  if (small || !gemm<T>() || !a.fits || !b.fits || !c.fits || c.transposed) {
    product_kernels<T>().block(p, i, i_end, j, j_end);
    return;
  }
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), k = static_cast<int>(p.k);
  gemm<T>()(
      b.transposed ? "T" : "N",
      a.transposed ? "T" : "N",
      &columns,
      &rows,
      &k,
      &p.alpha,
      p.b + j * p.b_column,
      &b.step,
      p.a + i * p.a_row,
      &a.step,
      &p.beta,
      p.c + i * p.c_row + j * p.c_column,
      &c.step);
}

/// A whole product, cut into a grid of nearly square blocks, one a thread.
template <class T>
void multiply_split(const BlockProduct<T>& p, std::int64_t m, std::int64_t n) {
  const std::int64_t worth = m * n * p.k / work_per_thread;
  if (worth < 2) return multiply_block(p, 0, m, 0, n);
  const std::int64_t parts = std::min<std::int64_t>(worth, pool().threads());
  std::int64_t across = 1;
  for (std::int64_t cut = 1; cut <= parts; ++cut) {
    // The cut that moves the least of a and b: both are read once for each cut of the other.
    const bool better = n * (parts / cut) + m * cut < n * (parts / across) + m * across;
    if (parts % cut == 0 && better) across = cut;
  }
  const std::int64_t down = parts / across;
  const std::int64_t tall = ((m + down - 1) / down + 3) / 4 * 4;
  const std::int64_t wide = ((n + across - 1) / across + 15) / 16 * 16;
  pool().each(parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      const std::int64_t i = part / across * tall, j = part % across * wide;
      if (i < m && j < n) multiply_block(p, i, std::min(m, i + tall), j, std::min(n, j + wide));
    }
  });
}

/// c has one column: c is y, b is x.
template <class T>
bool multiply_vector(const BlockProduct<T>& p, std::int64_t m) {
  if ((p.a_column != 1 && p.k > 1) && (p.a_row != 1 && m > 1)) return false;
  Ref<Storage> packed;
  const T* x = p.b;
  if (p.b_row != 1 && p.k > 1) {
    packed = allocate_host(static_cast<std::size_t>(p.k) * sizeof(T));
    T* to = static_cast<T*>(packed->data());
    for (std::int64_t l = 0; l < p.k; ++l)
      to[l] = p.b[l * p.b_row];
    x = to;
  }
  const VectorProduct<T> v{p.a, p.a_row, p.a_column, x, p.c, p.c_row, p.k, p.alpha, p.beta};
  const bool rows = p.a_column == 1 || p.k == 1;
  const auto kernel = rows ? product_kernels<T>().by_rows : product_kernels<T>().by_columns;
  const std::int64_t grain =
      std::max<std::int64_t>(16, reads_per_thread / std::max<std::int64_t>(p.k, 1));
  pool().each(m, grain, [&](std::int64_t first, std::int64_t last) { kernel(v, first, last); });
  return true;
}

/// c = beta · c.
template <class T>
void scale(const BlockProduct<T>& p, std::int64_t m, std::int64_t n) {
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T& to = p.c[i * p.c_row + j * p.c_column];
      to = p.beta == 0 ? T{0} : p.beta * to;
    }
  }
}

template <class T>
void multiply_one(BlockProduct<T> p, std::int64_t m, std::int64_t n) {
  if (p.k <= 0 || p.alpha == 0) return scale(p, m, n);
  // The transposed product has c row by row where this one has it column by column.
  const bool by_columns = p.c_row == 1 && p.c_column != 1 && n > 1;
  if (m == 1 || (by_columns && n != 1)) {
    std::swap(p.a, p.b);
    std::swap(p.a_row, p.b_column);
    std::swap(p.a_column, p.b_row);
    std::swap(p.c_row, p.c_column);
    std::swap(m, n);
  }
  if (n == 1 && multiply_vector(p, m)) return;
  multiply_split(p, m, n);
}

/// First and last byte that a strided operand touches.
struct Extent {
  const char *first, *last;
};

Extent extent(
    const void* data,
    std::size_t size,
    std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes) {
  std::int64_t low = 0, high = 0;
  for (const auto& [count, stride] : axes)
    (stride < 0 ? low : high) += (count - 1) * stride;
  const auto bytes = static_cast<std::int64_t>(size);
  const char* start = static_cast<const char*>(data);
  return {start + low * bytes, start + (high + 1) * bytes};
}

bool overlap(const Extent& x, const Extent& y) {
  return x.first < y.last && y.first < x.last;
}

/// Whether c shares memory with a or b, so that writing it would change what is still to be read.
bool overlapping(const MatrixProduct& p, std::size_t size) {
  const Extent a = extent(p.a, size, {{p.batches, p.a_batch}, {p.m, p.a_row}, {p.k, p.a_column}});
  const Extent b = extent(p.b, size, {{p.batches, p.b_batch}, {p.k, p.b_row}, {p.n, p.b_column}});
  const Extent c = extent(p.c, size, {{p.batches, p.c_batch}, {p.m, p.c_row}, {p.n, p.c_column}});
  return p.k > 0 && p.alpha != 0 && (overlap(a, c) || overlap(b, c));
}

template <class T>
void multiply_as(const MatrixProduct& p);

/// Computes a·b beside c and adds it in.
template <class T>
void multiply_aside(const MatrixProduct& p) {
  const Ref<Storage> aside =
      allocate_host(static_cast<std::size_t>(p.batches * p.m * p.n) * sizeof(T));
  MatrixProduct q = p;
  q.c = aside->data();
  q.c_row = p.n, q.c_column = 1, q.c_batch = p.m * p.n;
  q.alpha = 1, q.beta = 0;
  multiply_as<T>(q);
  const T* from = static_cast<const T*>(aside->data());
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        T& to = static_cast<T*>(p.c)[batch * p.c_batch + i * p.c_row + j * p.c_column];
        const T product = alpha * *from++;
        to = beta == 0 ? product : product + beta * to;
      }
    }
  }
}

template <class T>
void multiply_as(const MatrixProduct& p) {
  if (overlapping(p, sizeof(T))) return multiply_aside<T>(p);
  const std::int64_t grain =
      std::max<std::int64_t>(1, work_per_thread / std::max<std::int64_t>(p.m * p.n * p.k, 1));
  // Many products: whole ones to each thread. Inside a piece they run in place.
  if (p.batches < pool().threads()) {
    for (std::int64_t batch = 0; batch < p.batches; ++batch)
      multiply_one(block_of<T>(p, batch), p.m, p.n);
    return;
  }
  pool().each(p.batches, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t batch = first; batch < last; ++batch)
      multiply_one(block_of<T>(p, batch), p.m, p.n);
  });
}

}  // namespace

void multiply(const MatrixProduct& product) {
  if (product.m <= 0 || product.n <= 0 || product.batches <= 0) return;
  if (product.dtype == DType::float32) return multiply_as<float>(product);
  if (product.dtype == DType::float64) return multiply_as<double>(product);
  throw Error(
      Error::Kind::dtype,
      "matrix products are float32 or float64, not " + std::string(name(product.dtype)));
}

}  // namespace hypatia
