#include "engine/device/cuda/column_major.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace hypatia {
namespace {

double read(const void* data, std::int64_t index) {
  return static_cast<const double*>(data)[index];
}

// What BLAS's documentation says of gemm, on the host.
void column_major_gemm(const MatrixProduct& p, const ColumnMajor& f, double* c) {
  for (std::int64_t row = 0; row < f.m; ++row) {
    for (std::int64_t column = 0; column < f.n; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < f.k; ++i) {
        sum += read(f.a, f.transpose_a ? i + row * f.lda : row + i * f.lda) *
               read(f.b, f.transpose_b ? column + i * f.ldb : i + column * f.ldb);
      }
      double& to = c[row + column * f.ldc];
      to = p.alpha * sum + p.beta * to;
    }
  }
}

void plain_gemm(const MatrixProduct& p, double* c) {
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t column = 0; column < p.n; ++column) {
      double sum = 0;
      for (std::int64_t i = 0; i < p.k; ++i) {
        sum += read(p.a, row * p.a_row + i * p.a_column) *
               read(p.b, i * p.b_row + column * p.b_column);
      }
      double& to = c[row * p.c_row + column * p.c_column];
      to = p.alpha * sum + p.beta * to;
    }
  }
}

struct Layout {
  bool by_rows;
  std::int64_t gap;

  std::int64_t row(std::int64_t columns) const { return by_rows ? columns + gap : 1; }

  std::int64_t column(std::int64_t rows) const { return by_rows ? 1 : rows + gap; }
};

TEST(ColumnMajor, AgreesWithTheDefinitionForEveryLayout) {
  std::mt19937 random(3);
  std::vector<double> a(400), b(400), start(400);
  for (std::vector<double>* values : {&a, &b, &start}) {
    for (double& value : *values)
      value = static_cast<double>(random() % 17) - 8;
  }
  const std::vector<Layout> layouts{{true, 0}, {true, 3}, {false, 0}, {false, 2}};
  const std::vector<std::int64_t> sizes{1, 2, 5};
  int cases = 0;
  for (const Layout& la : layouts)
    for (const Layout& lb : layouts)
      for (const Layout& lc : layouts)
        for (const std::int64_t m : sizes)
          for (const std::int64_t n : sizes)
            for (const std::int64_t k : sizes) {
              const MatrixProduct p{
                  DType::float64,
                  m,
                  n,
                  k,
                  a.data(),
                  b.data(),
                  nullptr,
                  la.row(k),
                  la.column(m),
                  lb.row(n),
                  lb.column(k),
                  lc.row(n),
                  lc.column(m),
                  1,
                  0,
                  0,
                  0,
                  2,
                  -1,
              };
              const ColumnMajor form = column_major(p);
              ASSERT_TRUE(form.possible) << m << " " << n << " " << k;
              ASSERT_GE(form.lda, form.transpose_a ? form.k : form.m);
              ASSERT_GE(form.ldb, form.transpose_b ? form.n : form.k);
              ASSERT_GE(form.ldc, form.m);
              std::vector<double> want = start, got = start;
              plain_gemm(p, want.data());
              column_major_gemm(p, form, got.data());
              ASSERT_EQ(want, got) << m << " " << n << " " << k;
              ++cases;
            }
  EXPECT_EQ(cases, 4 * 4 * 4 * 27);
}

TEST(ColumnMajor, LeavesOtherStridesToThePlainKernel) {
  MatrixProduct p{.dtype = DType::float64, .m = 4, .n = 4, .k = 4};
  p.a_row = 8;
  p.a_column = 2;
  p.b_row = p.c_row = 4;
  EXPECT_FALSE(column_major(p).possible);
  p.a_column = 1;
  EXPECT_TRUE(column_major(p).possible);
  p.b_row = 0;  // one row, repeated
  EXPECT_FALSE(column_major(p).possible);
}

}  // namespace
}  // namespace hypatia
