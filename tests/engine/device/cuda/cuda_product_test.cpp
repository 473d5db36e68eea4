#include <cmath>
#include <random>
#include <vector>

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

template <class T>
class CudaProduct : public CudaTest {
 protected:
  std::vector<T> random_values(std::size_t n) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<T> values(n);
    for (T& value : values)
      value = static_cast<T>(uniform(random_));
    return values;
  }

  Ref<Storage> on_device(const std::vector<T>& values) {
    Ref<Storage> storage = device().allocate(values.size() * sizeof(T));
    storage->write(0, values.data(), values.size() * sizeof(T));
    return storage;
  }

  static Device& device() { return CudaTest::device(); }

  // Runs the product on both sides and returns the largest error over the scale of the result.
  double error_of(MatrixProduct p, std::size_t a_size, std::size_t b_size, std::size_t c_size) {
    const std::vector<T> a = random_values(a_size), b = random_values(b_size);
    std::vector<T> c = random_values(c_size);
    const Ref<Storage> on_a = on_device(a), on_b = on_device(b), on_c = on_device(c);
    p.dtype = dtype_of<T>;
    p.a = on_a->data();
    p.b = on_b->data();
    p.c = on_c->data();
    device().multiply(p, nullptr);
    std::vector<T> got(c_size);
    on_c->read(0, got.data(), c_size * sizeof(T));
    return compare(p, a, b, c, got);
  }

  double compare(
      const MatrixProduct& p,
      const std::vector<T>& a,
      const std::vector<T>& b,
      const std::vector<T>& c,
      const std::vector<T>& got) {
    const auto at = [](const std::vector<T>& values, std::int64_t index) {
      return static_cast<double>(values[static_cast<std::size_t>(index)]);
    };
    double worst = 0;
    for (std::int64_t batch = 0; batch < p.batches; ++batch) {
      for (std::int64_t row = 0; row < p.m; ++row) {
        for (std::int64_t column = 0; column < p.n; ++column) {
          double sum = 0;
          for (std::int64_t i = 0; i < p.k; ++i) {
            sum += at(a, batch * p.a_batch + row * p.a_row + i * p.a_column) *
                   at(b, batch * p.b_batch + i * p.b_row + column * p.b_column);
          }
          const std::int64_t index = batch * p.c_batch + row * p.c_row + column * p.c_column;
          const double want = p.alpha * sum + p.beta * at(c, index);
          worst = std::max(worst, std::abs(want - at(got, index)));
        }
      }
    }
    return worst / std::sqrt(static_cast<double>(p.k));
  }

  static constexpr double bound = sizeof(T) == 4 ? 2e-6 : 1e-14;

 private:
  std::mt19937 random_{11};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaProduct, Types);

TYPED_TEST(CudaProduct, MultipliesRowMajorMatrices) {
  MatrixProduct p{.m = 37, .n = 53, .k = 129};
  p.a_row = 129;
  p.b_row = 53;
  p.c_row = 53;
  EXPECT_LT(this->error_of(p, 37 * 129, 129 * 53, 37 * 53), this->bound);
}

TYPED_TEST(CudaProduct, MultipliesTransposesInPlace) {
  MatrixProduct p{.m = 37, .n = 53, .k = 129};
  p.a_row = 1;
  p.a_column = 37;
  p.b_row = 1;
  p.b_column = 129;
  p.c_row = 1;
  p.c_column = 37;
  p.alpha = -2;
  p.beta = 0.5;
  EXPECT_LT(this->error_of(p, 37 * 129, 129 * 53, 37 * 53), 3 * this->bound);
}

TYPED_TEST(CudaProduct, MultipliesMatrixByVector) {
  MatrixProduct p{.m = 400, .n = 1, .k = 784};
  p.a_row = 784;
  p.b_row = 1;
  p.c_row = 1;
  EXPECT_LT(this->error_of(p, 400 * 784, 784, 400), this->bound);
}

TYPED_TEST(CudaProduct, MultipliesBatches) {
  MatrixProduct p{.m = 8, .n = 9, .k = 10};
  p.a_row = 10;
  p.b_row = 9;
  p.c_row = 9;
  p.batches = 5;
  p.a_batch = 80;
  p.b_batch = 0;  // one b for all
  p.c_batch = 72;
  EXPECT_LT(this->error_of(p, 400, 90, 360), this->bound);
}

TYPED_TEST(CudaProduct, MultipliesWhateverTheStrides) {
  MatrixProduct p{.m = 20, .n = 21, .k = 22};
  p.a_row = 66;
  p.a_column = 3;
  p.b_row = 42;
  p.b_column = 2;
  p.c_row = 63;
  p.c_column = 3;
  p.beta = 1;
  p.batches = 2;
  p.a_batch = 1;
  p.c_batch = 1;
  EXPECT_LT(this->error_of(p, 20 * 66 + 1, 22 * 42, 20 * 63 + 1), this->bound);
}

TYPED_TEST(CudaProduct, ScalesWhereThereIsNothingToSum) {
  MatrixProduct p{.m = 3, .n = 4, .k = 0};
  p.a_row = 1;
  p.b_row = 4;
  p.c_row = 4;
  p.beta = 0.25;
  const std::vector<TypeParam> c = this->random_values(12);
  const Ref<Storage> storage = this->on_device(c);
  p.dtype = dtype_of<TypeParam>;
  p.a = p.b = p.c = storage->data();
  this->device().multiply(p, nullptr);
  std::vector<TypeParam> got(12);
  storage->read(0, got.data(), 12 * sizeof(TypeParam));
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(got[i], c[i] / 4);
}

TYPED_TEST(CudaProduct, IsCapturedAndReplayed) {
  const std::vector<TypeParam> a = this->random_values(64 * 64);
  std::vector<TypeParam> identity(64 * 64, 0);
  for (std::size_t i = 0; i < 64; ++i)
    identity[i * 65] = 2;
  const Ref<Storage> on_a = this->on_device(a), on_b = this->on_device(identity);
  const Ref<Storage> on_c = this->on_device(identity);
  MatrixProduct p{.m = 64, .n = 64, .k = 64};
  p.dtype = dtype_of<TypeParam>;
  p.a_row = p.b_row = p.c_row = 64;
  p.a = on_a->data();
  p.b = on_b->data();
  p.c = on_c->data();
  this->device().begin_capture(nullptr);
  this->device().multiply(p, nullptr);
  const Ref<Replay> replay = this->device().end_capture(nullptr);
  this->device().submit(*replay, nullptr);
  std::vector<TypeParam> got(64 * 64);
  on_c->read(0, got.data(), got.size() * sizeof(TypeParam));
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], 2 * a[i]);
}

}  // namespace
}  // namespace hypatia
