// Rows of the result are shared out over threads; for each, rows of b are added up, so that the
// inner loop runs along memory wherever b's rows do.
#include "engine/device/sim/product.h"

#include <algorithm>
#include <vector>

#include "engine/device/sim/workers.h"

namespace hypatia::sim {

namespace {

template <class T>
struct Rows {
  const MatrixProduct& p;

  void row(std::int64_t batch, std::int64_t i, std::vector<T>& sum) const {
    const T* a = static_cast<const T*>(p.a) + batch * p.a_batch + i * p.a_row;
    const T* b = static_cast<const T*>(p.b) + batch * p.b_batch;
    T* c = static_cast<T*>(p.c) + batch * p.c_batch + i * p.c_row;
    std::fill(sum.begin(), sum.end(), T{0});
    if (p.b_column == 1) {
      for (std::int64_t k = 0; k < p.k; ++k)
        add(sum.data(), a[k * p.a_column], b + k * p.b_row);
    } else {
      for (std::int64_t j = 0; j < p.n; ++j)
        sum[static_cast<std::size_t>(j)] = dot(a, b + j * p.b_column);
    }
    const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
    for (std::int64_t j = 0; j < p.n; ++j) {
      T& to = c[j * p.c_column];
      const T value = alpha * sum[static_cast<std::size_t>(j)];
      // beta 0 must not read: the target may hold NaN.
      to = p.beta == 0 ? value : value + beta * to;
    }
  }

  void add(T* sum, T factor, const T* values) const {
    for (std::int64_t j = 0; j < p.n; ++j)
      sum[j] += factor * values[j];
  }

  // Eight sums side by side, for speed and for a smaller rounding error.
  T dot(const T* a, const T* b) const {
    T parts[8]{};
    std::int64_t k = 0;
    for (; k + 8 <= p.k; k += 8) {
      for (std::int64_t l = 0; l < 8; ++l)
        parts[l] += a[(k + l) * p.a_column] * b[(k + l) * p.b_row];
    }
    for (; k < p.k; ++k)
      parts[k % 8] += a[k * p.a_column] * b[k * p.b_row];
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
           ((parts[4] + parts[5]) + (parts[6] + parts[7]));
  }

  static void run(void* context, std::uint64_t first, std::uint64_t last) {
    const Rows& rows = *static_cast<const Rows*>(context);
    std::vector<T> sum(static_cast<std::size_t>(rows.p.n));
    for (std::uint64_t r = first; r < last; ++r) {
      const auto at = static_cast<std::int64_t>(r);
      rows.row(at / rows.p.m, at % rows.p.m, sum);
    }
  }
};

template <class T>
void multiply_as(const MatrixProduct& p) {
  Rows<T> rows{p};
  const double work = static_cast<double>(p.n) * static_cast<double>(p.k);
  const auto grain = static_cast<std::uint64_t>(std::max(1.0, 100000.0 / std::max(work, 1.0)));
  share_out(static_cast<std::uint64_t>(p.batches * p.m), grain, Rows<T>::run, &rows);
}

}  // namespace

void multiply(const MatrixProduct& product) {
  if (product.dtype == DType::float64) {
    multiply_as<double>(product);
  } else {
    multiply_as<float>(product);
  }
}

}  // namespace hypatia::sim
