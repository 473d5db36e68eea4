#include "engine/device/cpu/row_pass.h"

#include <algorithm>

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
        for (std::int64_t part = first; part < last; ++part)
          run_part(part);
      });
    }
    if (pass_.partials) add_up();
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

  /// c = alpha · the sum of the parts + beta · c, by stretches of whole cache lines.
  void add_up() const {
    constexpr std::int64_t stretch = 64;
    // Sums worth a thread: fewer are fetched from other cores' caches while one would be called.
    constexpr std::int64_t worth_a_thread = 4096;
    const std::int64_t columns = pass_.back.m;
    const std::int64_t grain = worth_a_thread / (stretch * pass_.parts) + 1;
    VectorProduct<T> sums = vector_product(pass_.back);
    sums.a = sums_of(0);
    sums.a_row = columns;
    sums.k = pass_.parts;
    pool().each((columns + stretch - 1) / stretch, grain, [&](std::int64_t from, std::int64_t to) {
      product_kernels<T>().sum_columns(sums, from * stretch, std::min(columns, to * stretch));
    });
  }

  const RowPass& pass_;
  HostKernel::Entry entry_;
  std::int64_t rows_, blocks_;
  VectorProduct<T> forward_;
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
