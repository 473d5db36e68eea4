#pragma once
// The machine's BLAS for plain C++ programs: what a person without a graph engine would call.

#include <cstdint>

#include "engine/device/library.h"

namespace hypatia {

void multiply(const MatrixProduct& product);

namespace support {

/// c = a·b + beta · c for row-major float32 matrices, a m×k, b k×n: sgemm, on all cores.
inline void sgemm(
    std::int64_t m,
    std::int64_t n,
    std::int64_t k,
    const float* a,
    const float* b,
    float beta,
    float* c) {
  MatrixProduct product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.a = a;
  product.b = b;
  product.c = c;
  product.a_row = k;
  product.b_row = product.c_row = n;
  product.beta = static_cast<double>(beta);
  multiply(product);
}

}  // namespace support

}  // namespace hypatia
