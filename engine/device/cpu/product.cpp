// Matrix products by plain loops over blocks.
#include <algorithm>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/pool.h"

namespace hypatia {

namespace {

/// Rows [first, last) of one product of the batch; a row of sums at a time, in the dtype itself.
template <class T>
void multiply_rows(
    const MatrixProduct& p, const T* a, const T* b, T* c, std::int64_t first, std::int64_t last) {
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  std::vector<T> sums(static_cast<std::size_t>(p.n));
  for (std::int64_t i = first; i < last; ++i) {
    std::fill(sums.begin(), sums.end(), T{0});
    for (std::int64_t l = 0; l < p.k; ++l) {
      const T factor = a[i * p.a_row + l * p.a_column];
      const T* row = b + l * p.b_row;
      T* sum = sums.data();
      for (std::int64_t j = 0; j < p.n; ++j)
        sum[j] += factor * row[j * p.b_column];
    }
    for (std::int64_t j = 0; j < p.n; ++j) {
      T& to = c[i * p.c_row + j * p.c_column];
      const T product = alpha * sums[static_cast<std::size_t>(j)];
      to = p.beta == 0 ? product : product + beta * to;
    }
  }
}

template <class T>
void multiply_as(const MatrixProduct& p) {
  const std::int64_t rows = p.batches * p.m;
  const std::int64_t grain =
      std::max<std::int64_t>(1, 200'000 / std::max<std::int64_t>(1, p.n * p.k));
  pool().each(rows, grain, [&](std::int64_t first, std::int64_t last) {
    while (first < last) {
      const std::int64_t batch = first / p.m;
      const std::int64_t end = std::min(last, (batch + 1) * p.m);
      multiply_rows(
          p,
          static_cast<const T*>(p.a) + batch * p.a_batch,
          static_cast<const T*>(p.b) + batch * p.b_batch,
          static_cast<T*>(p.c) + batch * p.c_batch,
          first - batch * p.m,
          end - batch * p.m);
      first = end;
    }
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
