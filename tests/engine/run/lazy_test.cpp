// ifelse: only the branch taken runs, as counting prints shows.
#include "engine/run/lazy.h"

#include <gtest/gtest.h>

#include "engine/ops/print_op.h"

#include "hypatia/hypatia.h"
#include "tests/engine/core/messages.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

/// What a call prints, and its result.
std::string printed(const Function& f, const Array& a, const Array& b, double* value) {
  ::testing::internal::CaptureStdout();
  *value = Array(f(a, b)).item();
  return ::testing::internal::GetCapturedStdout();
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

std::vector<double> list(const Array& value) {
  return asarray(value).to_vector();
}

using List = std::vector<double>;

TEST(IfElse, HasTheSizesOfTheBranchTaken) {
  const Variable c = dscalar("c"), x = dvector("x"), y = dvector("y");
  const Variable chosen = ifelse(c, x, y * 2);
  const Function f = function({c, x, y}, {chosen, sum(exp(chosen - 4)), chosen.shape(0)});
  const Array two({1, 2}), three({1, 2, 3});
  for (int round = 0; round < 2; ++round) {
    const Results a = f(1.0, two, three), b = f(0.0, two, three), same = f(0.0, three, three);
    EXPECT_EQ(list(a[0]), (List{1, 2}));
    EXPECT_NEAR(a[1].item(), std::exp(-3) + std::exp(-2), 1e-15);
    EXPECT_EQ(a[2].item(), 2);
    EXPECT_EQ(list(b[0]), (List{2, 4, 6}));
    EXPECT_EQ(b[2].item(), 3);
    EXPECT_EQ(list(same[0]), (List{2, 4, 6}));
  }
  const Function slope = function({c, x, y}, grad(sum(sqr(chosen)), Vars{x, y}));
  const Results taken = slope(1.0, two, three), other = slope(0.0, two, three);
  EXPECT_EQ(list(taken[0]), (List{2, 4}));
  EXPECT_EQ(list(taken[1]), (List{0, 0, 0}));
  EXPECT_EQ(list(other[0]), (List{0, 0}));
  EXPECT_EQ(list(other[1]), (List{8, 16, 24}));
}

TEST(IfElse, BranchesMayHaveSizesThatTheirDataDecides) {
  const Variable c = dscalar("c"), d = dscalar("d"), x = dvector("x");
  const Variable inner = ifelse(d > 0, x[slice(1, none)], x);
  const Function f = function({c, d, x}, ifelse(c, x[x > 1] * 10, inner));
  const Array values({0, 1, 2, 3});
  EXPECT_EQ(list(f(1.0, 1.0, values)), (List{20, 30}));
  EXPECT_EQ(list(f(0.0, 1.0, values)), (List{1, 2, 3}));
  EXPECT_EQ(list(f(0.0, -1.0, values)), (List{0, 1, 2, 3}));
  EXPECT_EQ(list(f(1.0, 0.0, Array({0, 0}))), List{});
}

TEST(IfElse, OfStepsMayHaveBranchesOfOtherSizes) {
  const Variable x = dvector("x");
  const ScanResult sums = scan(
      [&](Variable e) { return ifelse(e > 1, x, x[slice(1, none)]).sum(); }, {.sequences = {x}});
  EXPECT_EQ(list(function({x}, sums[0])(Array({1, 2, 0, 3}))), (List{5, 6, 5, 6}));
}

TEST(IfElse, TheConditionIsFoundTwiceOnlyForBranchesOfOtherSizes) {
  const Variable c = dvector("c"), x = dvector("x"), y = dvector("y");
  const Variable holds = Print("c", {"size"})(c).sum() > 0;
  const auto prints = [&](const Function& f, const Array& b) {
    ::testing::internal::CaptureStdout();
    f(Array({1}), Array({1, 2}), b);
    return ::testing::internal::GetCapturedStdout();
  };
  const Function sure = function({c, x, y}, ifelse(holds, x * 2, x + 1).sum() + y.sum());
  EXPECT_EQ(prints(sure, Array({1})), "c size = 1\n");
  const Function open = function({c, x, y}, ifelse(holds, x, y));
  EXPECT_EQ(prints(open, Array({3, 4})), "c size = 1\n");
  EXPECT_EQ(prints(open, Array({3})), "c size = 1\nc size = 1\n");
}

TEST(IfElse, RefusesArraysAndOtherRanks) {
  const Variable x = dvector("x"), y = dvector("y"), m = dmatrix("m"), c = dscalar("c");
  EXPECT_MESSAGE_WITH(ifelse(x, x, y), "the condition of ifelse is one number");
  EXPECT_MESSAGE_WITH(
      ifelse(c, x, m), "the branches of ifelse have other ranks: float64[?] and float64[?, ?]");
  EXPECT_MESSAGE_WITH(
      ifelse(c, Operands{x}, Operands{x, y}), "as many values for one branch as for the other");
}

}  // namespace
}  // namespace hypatia
