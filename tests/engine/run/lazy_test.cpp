// ifelse: only the branch taken runs, as counting prints shows.
#include "engine/run/lazy.h"

#include <gtest/gtest.h>

#include "engine/ops/print_op.h"

#include "hypatia/hypatia.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

/// What a call prints, and its result.
std::string printed(const Function& f, const Array& a, const Array& b, double* value) {
  testing::internal::CaptureStdout();
  *value = Array(f(a, b)).item();
  return testing::internal::GetCapturedStdout();
}

TEST(IfElse, RunsOnlyTheBranchTaken) {
  const Variable c = dscalar("c"), x = dvector("x");
  const Variable sum_of = Print("sum", {"size"})(exp(x)).sum();
  const Variable other = Print("mean", {"size"})(x * 2).mean();
  const Function f = function({c, x}, ifelse(c, sum_of, other) + 1);
  double value = 0;
  EXPECT_EQ(printed(f, 1.0, Array({0, 0}), &value), "sum size = 2\n");
  EXPECT_EQ(value, 3);
  EXPECT_EQ(printed(f, 0.0, Array({2, 4, 6}), &value), "mean size = 3\n");
  EXPECT_EQ(value, 9);
}

TEST(IfElse, WhatOthersNeedTooRunsOnce) {
  const Variable c = scalar("c", DType::boolean), x = dvector("x");
  const Variable common = Print("common", {"ndim"})(sqr(x));
  const Function f =
      function({c, x}, ifelse(c, common.sum(), Print("else", {"ndim"})(x).sum()) + common.max());
  double value = 0;
  EXPECT_EQ(printed(f, Array(true), Array({1, 2}), &value), "common ndim = 1\n");
  EXPECT_EQ(value, 9);
}

TEST(IfElse, BranchesMayHoldBranchesAndSharedVariables) {
  const Variable c = dscalar("c"), d = dscalar("d");
  const Shared w = shared(Array({1, 2, 3}), "w");
  const Variable inner = ifelse(d > 0, Print("a", {"size"})(w * 2).sum(), w.max());
  const Function f = function({c, d}, ifelse(c, inner, w.min()));
  double value = 0;
  EXPECT_EQ(printed(f, 1.0, 1.0, &value), "a size = 3\n");
  EXPECT_EQ(value, 12);
  EXPECT_EQ(printed(f, 1.0, -1.0, &value), "");
  EXPECT_EQ(value, 3);
  EXPECT_EQ(printed(f, 0.0, 1.0, &value), "");
  EXPECT_EQ(value, 1);
}

TEST(IfElse, SeveralValuesShareOneBranch) {
  const Variable c = dscalar("c"), x = dvector("x");
  const Variable common = Print("p", {"size"})(x + 1);
  const Vars chosen = ifelse(c, Operands{common, common * 2}, Operands{x, x});
  const Function f = function({c, x}, chosen[0].sum() + chosen[1].sum());
  double value = 0;
  EXPECT_EQ(printed(f, 1.0, Array({1, 2}), &value), "p size = 2\n");
  EXPECT_EQ(value, 15);
  EXPECT_EQ(printed(f, 0.0, Array({1, 2}), &value), "");
  EXPECT_EQ(value, 6);
}

TEST(IfElse, GradientsFlowThroughTheBranchTaken) {
  const Variable c = dscalar("c"), x = dvector("x");
  const Function f = function({c, x}, grad(ifelse(c, sqr(x).sum(), x.sum()), x));
  EXPECT_TRUE(same_elements(f(1.0, Array({3, 4})), Array({6, 8})));
  EXPECT_TRUE(same_elements(f(0.0, Array({3, 4})), Array({1, 1})));
}

TEST(IfElse, RefusesArraysAndOtherShapes) {
  const Variable x = dvector("x"), y = dvector("y"), m = dmatrix("m"), c = dscalar("c");
  EXPECT_THROW(ifelse(x, x, y), Error);
  EXPECT_THROW(ifelse(c, x, m), Error);
  EXPECT_THROW(ifelse(c, Operands{x}, Operands{x, y}), Error);
  const Function f = function({c, x, y}, ifelse(c, x, y * 2));
  try {
    f(1.0, Array({1, 2}), Array({1, 2, 3}));
    FAIL() << "branches of other sizes were taken";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("float64[2] and float64[3]"), std::string::npos) << text;
    EXPECT_NE(text.find("lazy_test.cpp"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hypatia
