#include "engine/device/cuda/plain_product.h"

#include <algorithm>

namespace hypatia {

namespace {

constexpr const char* text = R"(
// One thread an element of c; a third grid axis runs over the batches.
template <class T>
__device__ void product(
    const T* a, const T* b, T* c, long long m, long long n, long long k,
    long long a_row, long long a_column, long long b_row, long long b_column,
    long long c_row, long long c_column, long long a_batch, long long b_batch, long long c_batch,
    T alpha, T beta) {
  const long long column = blockIdx.x * 16LL + threadIdx.x;
  a += blockIdx.z * a_batch;
  b += blockIdx.z * b_batch;
  c += blockIdx.z * c_batch;
  for (long long row = blockIdx.y * 16LL + threadIdx.y; row < m; row += gridDim.y * 16LL) {
    if (column >= n) return;
    T sum = 0;
    for (long long i = 0; i < k; ++i)
      sum += a[row * a_row + i * a_column] * b[i * b_row + column * b_column];
    T* to = &c[row * c_row + column * c_column];
    *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
  }
}

#define ENTRY(name, T) \
  extern "C" __global__ void name( \
      const T* a, const T* b, T* c, long long m, long long n, long long k, \
      long long a_row, long long a_column, long long b_row, long long b_column, \
      long long c_row, long long c_column, \
      long long a_batch, long long b_batch, long long c_batch, T alpha, T beta) { \
    product(a, b, c, m, n, k, a_row, a_column, b_row, b_column, c_row, c_column, \
            a_batch, b_batch, c_batch, alpha, beta); \
  }
ENTRY(product_float32, float)
ENTRY(product_float64, double)
)";

std::uint32_t tiles(std::int64_t size, std::int64_t most) {
  return static_cast<std::uint32_t>(std::min((size + 15) / 16, most));
}

}  // namespace

KernelSource plain_product_source() {
  return {Dialect::cuda_c, "product", text, {"product_float32", "product_float64"}, {}};
}

PlainProduct::PlainProduct(const MatrixProduct& product)
    : product_(product),
      alpha_(static_cast<float>(product.alpha)),
      beta_(static_cast<float>(product.beta)) {
  MatrixProduct& p = product_;
  const bool wide = p.dtype == DType::float64;
  arguments_ = {
      &p.a,
      &p.b,
      &p.c,
      &p.m,
      &p.n,
      &p.k,
      &p.a_row,
      &p.a_column,
      &p.b_row,
      &p.b_column,
      &p.c_row,
      &p.c_column,
      &p.a_batch,
      &p.b_batch,
      &p.c_batch,
      wide ? static_cast<void*>(&p.alpha) : &alpha_,
      wide ? static_cast<void*>(&p.beta) : &beta_,
  };
}

std::string PlainProduct::entry() const {
  return product_.dtype == DType::float64 ? "product_float64" : "product_float32";
}

Launch PlainProduct::launch() const {
  Launch launch;
  launch.grid = {
      tiles(product_.n, 0x7fffffff),
      tiles(product_.m, 65535),
      static_cast<std::uint32_t>(product_.batches),
  };
  launch.block = {16, 16, 1};
  return launch;
}

}  // namespace hypatia
