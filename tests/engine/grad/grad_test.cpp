// grad(): worked values, its options, and what it refuses.
#include <gtest/gtest.h>
#include <string>

#include "engine/core/warning.h"
#include "engine/graph/graph.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

double value_of(const Variable& v) {
  return function({}, v)().only().item();
}

Array at(const Variable& x, const Variable& expression, const Array& value) {
  return function({x}, expression)(value);
}

std::string error_of(auto&& build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_says(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Grad, OfASquare) {
  const Variable x = scalar("x", DType::float64);
  EXPECT_EQ(at(x, grad(pow(x, 2), x), 4.0).item(), 8);
  EXPECT_EQ(at(x, grad(x * x, x), 4.0).item(), 8);
  EXPECT_EQ(at(x, grad(sqr(x), x), 4.0).item(), 8);
}

TEST(Grad, OfTheLogisticFunction) {
  const Variable x = matrix("x", DType::float64);
  const Variable s = 1 / (1 + exp(-x));
  const Array points({{0, 1}, {-1, -2}});
  EXPECT_TRUE(
      all_close(at(x, s, points), Array({{0.5, 0.73105858}, {0.26894142, 0.11920292}}), 1e-7, 0));
  EXPECT_TRUE(all_close(
      at(x, grad(s.sum(), x), points),
      Array({{0.25, 0.19661193}, {0.19661193, 0.10499359}}),
      1e-7,
      0));
}

TEST(Grad, OfSeveralVariablesKeepsTheirOrder) {
  const Variable x = scalar("x", DType::float64), y = scalar("y", DType::float64);
  const Vars g = grad(x * x * y, {y, x});
  const Results r = function({x, y}, {g[0], g[1]})(3.0, 5.0);
  EXPECT_EQ(r[0].item(), 9);
  EXPECT_EQ(r[1].item(), 30);
}

TEST(Grad, MayBeAppliedAgain) {
  const Variable x = scalar("x", DType::float64);
  const Variable third = grad(grad(grad(pow(x, 4), x), x), x);
  EXPECT_EQ(at(x, third, 2.0).item(), 48);
}

TEST(Grad, ByTheCostItselfIsOne) {
  const Variable x = scalar("x", DType::float64);
  EXPECT_EQ(at(x, grad(x, x) + 0 * x, 4.0).item(), 1);
}

TEST(Grad, ByAnIntermediateValueStopsThere) {
  const Variable x = scalar("x", DType::float64);
  const Variable middle = exp(x);
  const Vars g = grad(middle * middle, {middle, x});
  const Results r = function({x}, {g[0], g[1]})(0.0);
  EXPECT_EQ(r[0].item(), 2);
  EXPECT_EQ(r[1].item(), 2);
}

TEST(Grad, SumsOverBroadcastAxes) {
  const Variable m = matrix("m", DType::float64), r = row("r", DType::float64);
  const Variable c = col("c", DType::float64), n = scalar("n", DType::float64);
  const Vars g = grad((m * r * c * n).sum(), {m, r, c, n});
  const Results result = function({m, r, c, n}, {g[0], g[1], g[2], g[3]})(
      Array({{1, 2, 3}, {4, 5, 6}}), Array({{1, 10, 100}}), Array({1, 2}).reshape({2, 1}), 2.0);
  EXPECT_TRUE(same_elements(result[0], Array({{2, 20, 200}, {4, 40, 400}})));
  EXPECT_TRUE(same_elements(result[1], Array({{18, 24, 30}})));
  EXPECT_TRUE(same_elements(result[2], Array({642, 1308}).reshape({2, 1})));
  EXPECT_EQ(result[3].item(), 321 + 2 * 654);
}

TEST(Grad, OfAVectorAddedToAMatrixHasTheVectorsShape) {
  const Variable m = matrix("m", DType::float64), v = vector("v", DType::float64);
  const Variable g = grad((m + v).sum(), v);
  EXPECT_EQ(g.ndim(), 1);
  EXPECT_TRUE(same_elements(
      function({m, v}, g)(Array({{1, 2}, {3, 4}, {5, 6}}), Array({1, 2})), Array({3, 3})));
}

TEST(Grad, KeepsTheDTypeOfItsVariable) {
  const Variable x = vector("x", DType::float32), y = vector("y", DType::float64);
  const Vars g = grad((x * y).sum(), {x, y});
  EXPECT_EQ(g[0].dtype(), DType::float32);
  EXPECT_EQ(g[1].dtype(), DType::float64);
}

TEST(Grad, ByIntegersIsFloatZeros) {
  const Variable x = vector("x", DType::float64), n = vector("n", DType::int32);
  const Variable g = grad((x * n).sum(), n);
  EXPECT_EQ(g.dtype(), config().float_x());
  const Array zeros = function({n}, g)(Array({1, 2}).astype(DType::int32));
  EXPECT_TRUE(same_elements(zeros.astype(DType::float64), Array({0, 0})));
}

TEST(Grad, ThroughIntegersIsZeroNotAnError) {
  const Variable x = vector("x", DType::float64);
  const Variable g = grad(sum(cast(x > 0, DType::float64)), x);
  EXPECT_TRUE(same_elements(at(x, g, Array({1, -1})), Array({0, 0})));
  EXPECT_TRUE(same_elements(at(x, grad(floor(x).sum(), x), Array({1, -1})), Array({0, 0})));
}

TEST(Grad, OfAReusedValueSumsItsContributions) {
  const Variable x = scalar("x", DType::float64);
  Variable y = x;
  for (int i = 0; i < 30; ++i)
    y = y + y;
  EXPECT_EQ(at(x, grad(y, x), 1.0).item(), 1 << 30);
}

TEST(GradOptions, ConsiderConstantStopsTheGradient) {
  const Variable x = scalar("x", DType::float64);
  const Variable square = x * x;
  const Variable g = grad(square * x, x, {.consider_constant = {square}});
  EXPECT_EQ(at(x, g, 3.0).item(), 9);
}

TEST(GradOptions, KnownGradientsReplaceTheCost) {
  const Variable x = vector("x", DType::float64);
  const Variable y = x * x;
  const Variable g = grad(Variable(), x, {.known_grads = {{y, constant(Array({1, 10}))}}});
  EXPECT_TRUE(same_elements(at(x, g, Array({3, 4})), Array({6, 80})));
}

TEST(GradOptions, KnownGradientReplacesWhatWouldBeComputed) {
  const Variable x = scalar("x", DType::float64);
  const Variable y = x * x;
  const Variable g = grad(y * 100, x, {.known_grads = {{y, constant(Array(1.0))}}});
  EXPECT_EQ(at(x, g, 3.0).item(), 6);
}

TEST(GradOptions, DisconnectedInputsRaiseAndNameTheVariable) {
  const Variable x = scalar("x", DType::float64), other = scalar("other", DType::float64);
  const std::string text = error_of([&] { grad(x * 2, other); });
  expect_says(text, "does not depend on 'other'");
  expect_says(text, "disconnected_inputs");
}

TEST(GradOptions, DisconnectedInputsIgnoredAreZeros) {
  const Variable x = scalar("x", DType::float64), other = vector("other", DType::float32);
  const Variable g = grad(x * 2, other, {.disconnected_inputs = "ignore"});
  EXPECT_EQ(g.dtype(), DType::float32);
  const Array zeros = function({other}, g)(Array({1, 2}).astype(DType::float32));
  EXPECT_TRUE(same_elements(zeros.astype(DType::float64), Array({0, 0})));
  EXPECT_FALSE(
      grad(x * 2, other, {.disconnected_inputs = "ignore", .return_disconnected = "none"}));
}

TEST(GradOptions, DisconnectedInputsWarn) {
  static std::string heard;
  heard.clear();
  const WarningHandler before = set_warning_handler([](const std::string& text) { heard = text; });
  const Variable x = scalar("x", DType::float64), other = scalar("other", DType::float64);
  EXPECT_TRUE(grad(x * 2, other, {.disconnected_inputs = "warn"}));
  set_warning_handler(before);
  expect_says(heard, "'other'");
}

TEST(GradOptions, SizesAreNoPath) {
  const Variable x = vector("x", DType::float64);
  const std::string text = error_of([&] { grad(cast(shape_i(x, 0), DType::float64), x); });
  expect_says(text, "does not depend on 'x'");
}

TEST(GradOptions, UndefinedGradientsRaiseOrReturnNothing) {
  const Variable x = scalar("x", DType::float64);
  const Variable cost = undefined_grad(x) * x;
  expect_says(error_of([&] { grad(cost, x); }), "the gradient by 'x' is undefined");
  EXPECT_FALSE(grad(cost, x, {.null_gradients = "return"}));
}

TEST(GradOptions, UnknownWordsAreErrors) {
  const Variable x = scalar("x", DType::float64);
  expect_says(
      error_of([&] { grad(x * 2, x, {.disconnected_inputs = "rise"}); }), "can't be 'rise'");
}

TEST(GradErrors, CostMustBeAScalar) {
  const Variable x = vector("x", DType::float64);
  const std::string text = error_of([&] { grad(x * 2, x); });
  expect_says(text, "the cost must be a scalar, and it has 1 axes");
  expect_says(text, "grad_test.cpp");
}

TEST(GradControl, PassesValuesAndChangesGradients) {
  const Variable x = vector("x", DType::float64);
  const Array value({-3, 1, 5});
  const auto gradient = [&](const Variable& through) {
    return at(x, grad(sum(through * x), x), value);
  };
  for (const Variable& v :
       {zero_grad(x), disconnected_grad(x), grad_clip(x, -1, 2), grad_scale(x, 10)}) {
    EXPECT_TRUE(same_elements(at(x, v * 1, value), value));
  }
  // d(c(x)·x) = c(x) + x by the first factor, whatever that is made of.
  EXPECT_TRUE(same_elements(gradient(zero_grad(x)), value));
  EXPECT_TRUE(same_elements(gradient(disconnected_grad(x)), value));
  EXPECT_TRUE(same_elements(gradient(grad_clip(x, -1, 2)), Array({-4, 2, 7})));
  EXPECT_TRUE(same_elements(gradient(grad_scale(x, 10)), Array({-33, 11, 55})));
  EXPECT_TRUE(same_elements(at(x, grad(zero_grad(x).sum(), x), value), Array({0, 0, 0})));
  EXPECT_THROW(grad(disconnected_grad(x).sum(), x), Error);
}

TEST(Grad, NodesCarryTheLineTheyDifferentiate) {
  const Variable x = vector("x", DType::float64);
  const Variable y = exp(x);
  const int line = __LINE__ - 1;
  const Variable g = grad(y.sum(), x);
  bool found = false;
  for (const Apply* node : topological_order(Vars{g}))
    found |= &node->op() == &mul_op && static_cast<int>(node->origin().line) == line;
  EXPECT_TRUE(found);
}

TEST(Grad, OfATwoMillionNodeChainDoesNotRecurse) {
  const Variable x = scalar("x", DType::float64);
  Variable y = x;
  for (int i = 0; i < 2000000; ++i)
    y = -y;
  const Variable g = grad(y, x);
  EXPECT_GT(topological_order(Vars{g}).size(), 2000000U);
}

TEST(Grad, GivesTheGraphThatPowerDescribes) {
  const Variable x = scalar("x", DType::float64);
  const Variable g = grad(pow(x, 2), x);
  // (fill(x ** 2, 1) * 2) * (x ** (2 - 1)), and 2 * x once it is rewritten.
  const Function f = function({x}, g);
  for (const Apply* node : f.graph().order())
    EXPECT_NE(&node->op(), &pow_op) << to_text(f.toposort());
  EXPECT_EQ(Array(f(4.0)).item(), 8);
}

TEST(Grad, OfShared) {
  const Shared w = shared(Array({1, 2, 3}), "w");
  EXPECT_TRUE(same_elements(function({}, grad(sqr(w).sum(), w))(), Array({2, 4, 6})));
  EXPECT_EQ(value_of(grad(sqr(w).sum(), w).sum()), 12);
}

}  // namespace
}  // namespace hypatia
