// Factors multiplied back, solutions put back in; singular, indefinite and misshapen matrices.
#include "engine/device/cpu/lapack.h"

#include <gtest/gtest.h>
#include <random>

#include "engine/core/error.h"
#include "engine/device/cpu/blas.h"

namespace hypatia {
namespace {

class LapackTest : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!lapack::available()) GTEST_SKIP() << "no LAPACK: " << blas_facts().note;
  }

  Array random(std::int64_t rows, std::int64_t columns) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Array a(DType::float64, {rows, columns});
    for (double& value : a.span<double>())
      value = unit(random_);
    return a.astype(GetParam());
  }

  static Array product(const Array& a, const Array& b) {
    Array c(a.dtype(), {a.dim(0), b.dim(1)});
    MatrixProduct p;
    p.dtype = a.dtype();
    p.m = a.dim(0), p.n = b.dim(1), p.k = a.dim(1);
    const std::int64_t size = size_of(a.dtype());
    p.a = a.address(), p.b = b.address(), p.c = c.address();
    p.a_row = a.strides()[0] / size, p.a_column = a.strides()[1] / size;
    p.b_row = b.strides()[0] / size, p.b_column = b.strides()[1] / size;
    p.c_row = c.dim(1);
    multiply(p);
    return c;
  }

  static void expect_near(const Array& a, const Array& b) {
    const double tolerance = a.dtype() == DType::float32 ? 2e-4 : 1e-10;
    ASSERT_EQ(a.dims(), b.dims());
    EXPECT_TRUE(all_close(a, b, tolerance, tolerance));
  }

  Array identity(std::int64_t n) const { return Array::eye(n, GetParam()); }

 private:
  std::mt19937 random_{7};
};

TEST_P(LapackTest, Solves) {
  const Array a = random(7, 7), b = random(7, 3);
  expect_near(product(a, lapack::solve(a, b)), b);
  const Array column = random(7, 1);
  const Array x = lapack::solve(a, column.reshape({7}));
  EXPECT_EQ(x.rank(), 1);
  expect_near(product(a, x.reshape({7, 1})), column);
  expect_near(product(lapack::inverse(a), a), identity(7));
  // A view with strides of its own.
  expect_near(product(a.transpose(), lapack::solve(a.transpose(), b)), b);
}

TEST_P(LapackTest, ReadsOneHalfOfATriangularMatrix) {
  const Array a = random(5, 5), b = random(5, 2);
  for (const bool lower : {true, false}) {
    Array half = a.copy();
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) {
        const std::int64_t at = i * 5 + j;
        if (lower ? j <= i : j >= i) continue;
        visit(GetParam(), [&](auto zero) { half.data<decltype(zero)>()[at] = 0; });
      }
    }
    expect_near(product(half, lapack::solve_triangular(a, b, lower)), b);
  }
}

TEST_P(LapackTest, KnowsDeterminants) {
  const Array a = Array({{0, 2, 0}, {1, 0, 0}, {0, 0, 3}}).astype(GetParam());
  EXPECT_NEAR(lapack::det(a).item(), -6, 1e-5);
  EXPECT_EQ(lapack::det(Array({{1, 2}, {2, 4}}).astype(GetParam())).item(), 0);
  EXPECT_EQ(lapack::det(Array(GetParam(), {0, 0})).item(), 1);
}

TEST_P(LapackTest, FactorsPositiveDefiniteMatrices) {
  const Array root = random(6, 6);
  Array a = product(root, root.transpose().copy());
  for (std::int64_t i = 0; i < 6; ++i)
    visit(GetParam(), [&](auto zero) { a.data<decltype(zero)>()[i * 7] += 1; });
  const Array l = lapack::cholesky(a), u = lapack::cholesky(a, false);
  expect_near(product(l, l.transpose().copy()), a);
  expect_near(product(u.transpose().copy(), u), a);
  EXPECT_EQ(l.at({0, 5}), 0);
  EXPECT_EQ(u.at({5, 0}), 0);
  EXPECT_THROW(lapack::cholesky(Array({{1, 2}, {2, 1}}).astype(GetParam())), Error);
}

TEST_P(LapackTest, SplitsRectangles) {
  for (const auto& [m, n] : {std::pair{6, 4}, std::pair{4, 6}, std::pair{5, 5}}) {
    const Array a = random(m, n);
    const std::int64_t least = std::min(m, n);
    const lapack::Qr factors = lapack::qr(a);
    expect_near(product(factors.q, factors.r), a);
    expect_near(product(factors.q.transpose().copy(), factors.q), identity(least));
    for (const bool full : {true, false}) {
      const lapack::Svd parts = lapack::svd(a, full);
      EXPECT_EQ(parts.u.dims(), (Dims{m, full ? m : least}));
      EXPECT_EQ(parts.vt.dims(), (Dims{full ? n : least, n}));
      Array diagonal = Array::zeros(GetParam(), {parts.u.dim(1), parts.vt.dim(0)});
      for (std::int64_t i = 0; i < least; ++i) {
        visit(GetParam(), [&](auto zero) {
          using T = decltype(zero);
          diagonal.data<T>()[i * diagonal.dim(1) + i] = parts.s.data<T>()[i];
        });
      }
      expect_near(product(product(parts.u, diagonal), parts.vt), a);
    }
  }
}

TEST_P(LapackTest, FindsEigenvectors) {
  const Array half = random(5, 5);
  Array a = half.copy();
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      visit(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        a.data<T>()[i * 5 + j] = half.data<T>()[std::max(i, j) * 5 + std::min(i, j)];
      });
    }
  }
  // Only the lower half is read: the other half of `half` differs.
  const lapack::Eigh found = lapack::eigh(half, true);
  Array scaled = found.vectors.copy();
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      visit(GetParam(), [&](auto zero) {
        using T = decltype(zero);
        const double value = found.values.at({j}) * found.vectors.at({i, j});
        scaled.data<T>()[i * 5 + j] = static_cast<T>(value);
      });
    }
  }
  expect_near(product(a, found.vectors), scaled);
  EXPECT_LE(found.values.at({0}), found.values.at({4}));
}

TEST_P(LapackTest, RefusesWhatHasNoResult) {
  const Array singular = Array({{1, 2}, {2, 4}}).astype(GetParam());
  EXPECT_THROW(lapack::inverse(singular), Error);
  EXPECT_THROW(lapack::solve(singular, singular), Error);
  EXPECT_THROW(lapack::inverse(random(2, 3)), Error);
  EXPECT_THROW(lapack::det(random(4, 1).reshape({4})), Error);
  EXPECT_THROW(lapack::solve(random(3, 3), random(2, 2)), Error);
  EXPECT_THROW(lapack::inverse(Array::ones(DType::int64, {2, 2})), Error);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, LapackTest, ::testing::Values(DType::float32, DType::float64));

}  // namespace
}  // namespace hypatia
