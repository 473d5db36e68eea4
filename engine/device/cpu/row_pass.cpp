#include "engine/device/cpu/row_pass.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/device/cpu/module.h"
#include "engine/device/cpu/pool.h"
#include "engine/device/cpu/product_kernels.h"

namespace hypatia {

namespace {

template <class T>
class Runner {
 public:
  explicit Runner(const RowPass& pass)
      : pass_(pass),
        entry_(static_cast<const HostKernel&>(*pass.loop).entry()),
        rows_(pass.product.m),
        blocks_((rows_ + pass.block - 1) / pass.block),
        forward_(vector_product(pass.product)) {}

  void run() {
    if (pass_.parts == 1) {
      run_part(0);
    } else {
      pool().each(pass_.parts, 1, [this](std::int64_t first, std::int64_t last) {
        for (std::int64_t part = first; part < last; ++part) {
          run_part(part);
          if (pass_.partials) add_up(part);
        }
      });
    }
    if (pass_.partials) finish();
  }

 private:
  static VectorProduct<T> vector_product(const MatrixProduct& p) {
    return {
        static_cast<const T*>(p.a),
        p.a_row,
        p.a_column,
        static_cast<const T*>(p.b),
        static_cast<T*>(p.c),
        p.c_row,
        p.k,
        static_cast<T>(p.alpha),
        static_cast<T>(p.beta),
    };
  }

  T* sums_of(std::int64_t part) const {
    return static_cast<T*>(pass_.partials) + part * pass_.back.m;
  }

  void run_part(std::int64_t part) const {
    VectorProduct<T> back{};
    if (pass_.partials) {
      back = vector_product(pass_.back);
      back.y = sums_of(part);
      std::fill(back.y, back.y + pass_.back.m, T{0});
    }
    const ProductKernels<T>& kernels = product_kernels<T>();
    const std::int64_t end = (part + 1) * blocks_ / pass_.parts;
    for (std::int64_t b = part * blocks_ / pass_.parts; b < end; ++b) {
      const std::int64_t first = b * pass_.block, last = std::min(rows_, first + pass_.block);
      kernels.by_rows(forward_, first, last);
      entry_(pass_.arguments, pass_.by_chunk ? b : first, pass_.by_chunk ? b + 1 : last);
      if (pass_.partials) kernels.add_columns(back, pass_.back.m, first, last);
    }
  }

  /// Adds sums by pairs, then pairs of pairs: whoever ends the second of two adds them, always the
  /// right one to the left, so that the same numbers are added whoever it is.
  void add_up(std::int64_t part) {
    std::size_t level = 0;
    for (std::int64_t width = 1; width < pass_.parts; width *= 2, ++level) {
      const std::int64_t left = part - part % (2 * width);
      if (left + width >= pass_.parts) continue;
      const auto pair = static_cast<std::size_t>(left / (2 * width));
      if (ended_[level][pair].fetch_add(1, std::memory_order_acq_rel) == 0) return;
      constexpr std::array<T, 2> ones{1, 1};
      T* sum = sums_of(left);
      const std::int64_t m = pass_.back.m;
      product_kernels<T>().add_columns({sum, 1, width * m, ones.data(), sum, 1, 2, 1, 1}, m, 1, 2);
    }
  }

  /// c = alpha · the sum of the parts + beta · c.
  void finish() const {
    const VectorProduct<T> back = vector_product(pass_.back);
    const T* sum = sums_of(0);
    for (std::int64_t i = 0; i < pass_.back.m; ++i) {
      T& to = back.y[i * back.y_step];
      to = back.beta == 0 ? back.alpha * sum[i] : back.alpha * sum[i] + back.beta * to;
    }
  }

  const RowPass& pass_;
  HostKernel::Entry entry_;
  std::int64_t rows_, blocks_;
  VectorProduct<T> forward_;
  std::array<std::array<std::atomic<int>, most_parts_of_rows / 2>, 4> ended_{};
};

}  // namespace

void run_row_pass(const RowPass& pass) {
  if (pass.product.dtype == DType::float32) {
    Runner<float>(pass).run();
  } else {
    Runner<double>(pass).run();
  }
}

}  // namespace hypatia
