// Products of every layout and size against sums in long double; with a BLAS and without.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/product_kernels.h"

namespace hypatia {
namespace {

/// Strides that put a matrix into memory in one of several ways.
struct Place2 {
  std::int64_t row, column, batch;
};

Place2 place(int way, std::int64_t rows, std::int64_t columns) {
  switch (way) {
    case 0:
      return {columns, 1, rows * columns};
    case 1:
      return {1, rows, rows * columns};
    case 2:  // a part of a larger matrix
      return {columns + 3, 1, rows * (columns + 3)};
    case 3:
      return {1, rows + 5, (rows + 5) * columns};
    default:  // gaps on both axes
      return {2 * columns + 1, 2, rows * (2 * columns + 1)};
  }
}

template <class T>
void check(
    std::int64_t m,
    std::int64_t n,
    std::int64_t k,
    int ways,
    double alpha,
    double beta,
    std::int64_t batches = 1) {
  std::mt19937 random(static_cast<unsigned>(m * 131 + n * 17 + k + ways));
  std::uniform_real_distribution<double> unit(-1, 1);
  const Place2 at_a = place(ways % 5, m, k), at_b = place(ways / 5 % 5, k, n);
  const Place2 at_c = place(ways / 25 % 5, m, n);
  const auto filled = [&](std::int64_t size) {
    std::vector<T> values(static_cast<std::size_t>(size) + 1);
    for (T& value : values)
      value = static_cast<T>(unit(random));
    return values;
  };
  const auto room = [&](const Place2& at) { return at.batch * batches + 8; };
  const std::vector<T> a = filled(room(at_a)), b = filled(room(at_b));
  std::vector<T> c = filled(room(at_c));
  // With beta 0 nothing of the old c may get through.
  if (beta == 0) std::fill(c.begin(), c.end(), std::numeric_limits<T>::quiet_NaN());
  const std::vector<T> old = c;
  MatrixProduct p;
  p.dtype = sizeof(T) == 4 ? DType::float32 : DType::float64;
  p.m = m, p.n = n, p.k = k, p.batches = batches, p.alpha = alpha, p.beta = beta;
  p.a = a.data(), p.b = b.data(), p.c = c.data();
  p.a_row = at_a.row, p.a_column = at_a.column, p.a_batch = at_a.batch;
  p.b_row = at_b.row, p.b_column = at_b.column, p.b_batch = at_b.batch;
  p.c_row = at_c.row, p.c_column = at_c.column, p.c_batch = at_c.batch;
  multiply(p);
  std::vector<bool> written(c.size(), false);
  const double unit_error = std::numeric_limits<T>::epsilon();
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        long double sum = 0, size = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const long double term =
              static_cast<long double>(a[static_cast<std::size_t>(
                  batch * at_a.batch + i * at_a.row + l * at_a.column)]) *
              b[static_cast<std::size_t>(batch * at_b.batch + l * at_b.row + j * at_b.column)];
          sum += term;
          size += fabsl(term);
        }
        const auto at =
            static_cast<std::size_t>(batch * at_c.batch + i * at_c.row + j * at_c.column);
        const long double before = beta == 0 ? 0.0L : static_cast<long double>(beta) * old[at];
        const long double want = static_cast<T>(alpha) * sum + before;
        const long double room_for_error = (2 + std::sqrt(static_cast<double>(k))) * unit_error *
                                               (fabsl(alpha) * size + fabsl(before)) +
                                           1e-30L;
        ASSERT_LE(fabsl(c[at] - want), room_for_error)
            << m << "x" << k << "x" << n << " ways " << ways << " at " << i << "," << j;
        written[at] = true;
      }
    }
  }
  for (std::size_t at = 0; at < c.size(); ++at) {
    const bool same = c[at] == old[at] || (std::isnan(c[at]) && std::isnan(old[at]));
    ASSERT_TRUE(written[at] || same) << "wrote beside c at " << at;
  }
}

TEST(Product, AgreesForEveryLayout) {
  for (int ways = 0; ways < 125; ++ways) {
    check<float>(7, 5, 9, ways, 1.5, 0);
    check<double>(6, 10, 4, ways, -0.5, 2);
    check<float>(33, 40, 17, ways, 1, 1);
    check<double>(13, 1, 21, ways, 1, 0.25);
    check<float>(1, 37, 19, ways, 1, 0);
  }
}

TEST(Product, AgreesForEverySize) {
  for (const std::int64_t m : {1, 2, 3, 8, 12, 13, 65}) {
    for (const std::int64_t n : {1, 2, 15, 16, 33, 70}) {
      for (const std::int64_t k : {0, 1, 2, 16, 129, 300}) {
        check<float>(m, n, k, 0, 1, 0);
        check<double>(m, n, k, 1, 2, -1);
      }
    }
  }
}

TEST(Product, AgreesWhenSplitOverThreads) {
  for (int ways : {0, 1, 5, 6, 25, 31, 124}) {
    check<float>(200, 150, 130, ways, 1, 0);
    check<double>(60, 500, 100, ways, 1, 1);
    check<float>(400, 1, 784, ways, 0.5, 1);
    check<float>(784, 1, 400, ways, 0.5, 0);
    check<double>(1, 3000, 100, ways, 1, 0);
  }
}

TEST(Product, AgreesInBatches) {
  for (int ways : {0, 6, 31}) {
    check<float>(5, 6, 7, ways, 1, 0, 50);
    check<double>(64, 64, 64, ways, 1, 1, 9);
    check<float>(100, 120, 90, ways, 2, 0, 2);
  }
}

TEST(Product, LeavesEmptyProductsAlone) {
  check<float>(0, 5, 3, 0, 1, 0);
  check<float>(5, 0, 3, 0, 1, 0);
  check<double>(4, 4, 0, 0, 1, 0);
  check<double>(4, 4, 0, 0, 1, 0.5);
  check<double>(4, 4, 3, 0, 0, 0.5);
}

TEST(Product, DoesNotReadOperandsWithoutWeight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a(4, nan), b(4, nan);
  std::vector<float> c{1, 2, 3, 4};
  MatrixProduct p;
  p.m = p.n = p.k = 2;
  p.a = a.data(), p.b = b.data(), p.c = c.data();
  p.a_row = p.b_row = p.c_row = 2;
  p.alpha = 0, p.beta = 2;
  multiply(p);
  EXPECT_EQ(c, (std::vector<float>{2, 4, 6, 8}));
}

TEST(Product, LetsNaNAndInfinityThrough) {
  std::vector<float> a(16, 0), b(16, 1), c(16);
  a[5] = std::numeric_limits<float>::quiet_NaN();
  MatrixProduct p;
  p.m = p.n = p.k = 4;
  p.a = a.data(), p.b = b.data(), p.c = c.data();
  p.a_row = p.b_row = p.c_row = 4;
  multiply(p);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_EQ(std::isnan(c[i]), i / 4 == 1);
}

TEST(Product, RepeatsAnOperandByZeroStrides) {
  std::vector<float> row{1, 2, 3}, ones(12, 1), c(8);
  MatrixProduct p;
  p.m = 2, p.n = 4, p.k = 3;
  p.a = row.data(), p.a_row = 0, p.a_column = 1;
  p.b = ones.data(), p.b_row = 4, p.b_column = 1;
  p.c = c.data(), p.c_row = 4;
  multiply(p);
  EXPECT_EQ(c, std::vector<float>(8, 6));
}

TEST(Product, TakesOperandsThatOverlap) {
  std::vector<double> a{1, 2, 3, 4}, b{1, 1, 0, 1};
  MatrixProduct p;
  p.dtype = DType::float64;
  p.m = p.n = p.k = 2;
  p.a = a.data(), p.b = b.data(), p.c = a.data();
  p.a_row = p.b_row = p.c_row = 2;
  multiply(p);
  EXPECT_EQ(a, (std::vector<double>{1, 3, 3, 7}));
}

TEST(Product, RefusesOtherDtypes) {
  MatrixProduct p;
  p.dtype = DType::int32;
  EXPECT_THROW(multiply(p), Error);
}

template <class T>
void check_own_block() {
  const std::int64_t m = 29, n = 37, k = 150;
  std::vector<T> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
      c(static_cast<std::size_t>(m * n));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<T>(i % 7) - 3;
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<T>(i % 5) - 2;
  const BlockProduct<T> p{a.data(), b.data(), c.data(), k, 1, n, 1, n, 1, k, 1, 0};
  product_kernels<T>().block(p, 0, m, 0, n);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
      ASSERT_EQ(c[static_cast<std::size_t>(i * n + j)], sum);  // small integers: exact in any order
    }
  }
}

TEST(Product, HasLoopsOfItsOwn) {
  check_own_block<float>();
  check_own_block<double>();
}

/// Elements [first, columns) of y, y_step apart, from `parts` rows of small integers.
template <class T>
void check_sums(std::int64_t columns, std::int64_t parts, std::int64_t y_step, T beta) {
  const std::int64_t first = columns / 3;
  std::vector<T> a(static_cast<std::size_t>(columns * parts));
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<T>(i % 11) - 4;
  const T untouched = beta == 0 ? std::numeric_limits<T>::quiet_NaN() : T{3};
  std::vector<T> y(static_cast<std::size_t>(columns * y_step), untouched);
  const VectorProduct<T> p{a.data(), columns, 1, nullptr, y.data(), y_step, parts, 2, beta};
  product_kernels<T>().sum_columns(p, first, columns);
  for (std::int64_t i = first; i < columns; ++i) {
    T sum = 0;
    for (std::int64_t part = 0; part < parts; ++part)
      sum += a[static_cast<std::size_t>(part * columns + i)];
    const T wanted = beta == 0 ? 2 * sum : 2 * sum + beta * 3;
    ASSERT_EQ(y[static_cast<std::size_t>(i * y_step)], wanted)
        << columns << " columns, " << parts << " parts, column " << i;
  }
}

TEST(Product, SumsColumns) {
  for (std::int64_t columns = 1; columns < 200; columns += columns < 20 ? 1 : 13) {
    for (const std::int64_t parts : {1, 2, 5}) {
      check_sums<float>(columns, parts, 1, 0);
      check_sums<float>(columns, parts, 3, 5);
      check_sums<double>(columns, parts, 1, -2);
      check_sums<double>(columns, parts, 2, 0);
    }
  }
}

TEST(Blas, IsToldABetterCore) {
  EXPECT_EQ(better_core("Prescott", true, true), "SkylakeX");
  EXPECT_EQ(better_core("Prescott", true, false), "Haswell");
  EXPECT_EQ(better_core("Prescott", false, false), "");
  EXPECT_EQ(better_core("Sandybridge", true, false), "Haswell");
  for (const char* good : {"Cooperlake", "SkylakeX", "Zen", "Haswell", "neoversen1", ""})
    EXPECT_EQ(better_core(good, true, true), "") << good;
}

TEST(Blas, RunsForThisProcessor) {
  const BlasFacts& facts = blas_facts();
  if (facts.library.empty()) GTEST_SKIP() << facts.note;
  EXPECT_EQ(better_core(facts.core, true, true), "") << facts.core << ": " << facts.note;
  EXPECT_NE(blas_function("dgemm_"), nullptr);
  EXPECT_EQ(blas_function("no_such_function_"), nullptr);
}

}  // namespace
}  // namespace hypatia
