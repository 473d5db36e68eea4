// Jacobians, Hessians and products with them, on worked values.
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

TEST(Jacobian, OfSquaresIsDiagonal) {
  const Variable x = vector("x", DType::float64);
  const Array j = function({x}, jacobian(sqr(x), x))(Array({4, 4}));
  EXPECT_TRUE(same_elements(j, Array({{8, 0}, {0, 8}}))) << to_text(j);
}

TEST(Jacobian, OfAProductIsTheMatrix) {
  const Variable x = vector("x", DType::float64), w = matrix("w", DType::float64);
  const Array weights({{1, 2, 3}, {4, 5, 6}});
  const Vars j = jacobian(dot(w, x), {x, w});
  const Results r = function({x, w}, {j[0], j[1]})(Array({1, 10, 100}), weights);
  EXPECT_TRUE(same_elements(r[0], weights));
  // Element i moves only with row i of w, by x.
  Array by_w = Array::zeros(DType::float64, {2, 2, 3});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      by_w.data<double>()[(i * 2 + i) * 3 + k] = std::vector<double>{1, 10, 100}[k];
  }
  EXPECT_TRUE(same_elements(r[1], by_w)) << to_text(r[1]);
}

TEST(Jacobian, ThroughAMatrixProductAndAReduction) {
  const Variable a = matrix("a", DType::float64);
  // y_i = sum_j (a·a)_ij
  const Variable y = sum(dot(a, a), Axes{1});
  const Array value({{1, 2}, {3, 4}});
  const Array j = function({a}, jacobian(y, a))(value);
  // dy_i/da_mn = [i=m]·(row sum of a at n) + a_im
  const double sums[] = {3, 7}, v[] = {1, 2, 3, 4};
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t m = 0; m < 2; ++m) {
      for (std::int64_t n = 0; n < 2; ++n)
        EXPECT_DOUBLE_EQ(j.at({i, m, n}), (i == m ? sums[n] : 0) + v[i * 2 + m]);
    }
  }
}

TEST(Jacobian, GoesRowByRowThroughOtherOps) {
  const Variable x = vector("x", DType::float64);
  const Variable parts = join(0, {sqr(x[slice(1, none)]), x[0] * x[slice(0, 1)]});
  const Array j = function({x}, jacobian(parts, x))(Array({1, 2, 3}));
  EXPECT_TRUE(same_elements(j, Array({{0, 4, 0}, {0, 0, 6}, {2, 0, 0}}))) << to_text(j);
  const Array h = function({x}, hessian(parts.sum(), x))(Array({1, 2, 3}));
  EXPECT_TRUE(same_elements(h, Array({{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}))) << to_text(h);
}

TEST(Jacobian, OfJoinedAndRepeatedValues) {
  const Variable v = vector("v", DType::float64);
  const Array at({5, 6}), twice({{1, 0}, {0, 1}, {1, 0}, {0, 1}});
  const Array each({{1, 0}, {1, 0}, {0, 1}, {0, 1}});
  const auto expect = [&](const Variable& j, const Array& wanted) {
    const Array got = function({v}, j)(at);
    EXPECT_TRUE(same_elements(got, wanted)) << to_text(got);
  };
  expect(jacobian(concatenate({v, v}), v), twice);
  expect(jacobian(tile(v, {2}), v), twice);
  expect(jacobian(repeat(v, 2, 0), v), each);
  expect(hessian(sqr(concatenate({v, v * 2.0})).sum(), v), Array({{10, 0}, {0, 10}}));
}

TEST(Jacobian, RefusesMatrices) {
  const Variable x = matrix("x", DType::float64);
  EXPECT_THROW(jacobian(sqr(x), x), Error);
}

TEST(Hessian, OfSquaresIsTwice) {
  const Variable x = vector("x", DType::float64);
  const Array h = function({x}, hessian(sqr(x).sum(), x))(Array({4, 4}));
  EXPECT_TRUE(same_elements(h, Array({{2, 0}, {0, 2}}))) << to_text(h);
}

TEST(Hessian, OfALinearCostIsZero) {
  const Variable x = vector("x", DType::float64);
  const Array h = function({x}, hessian((3 * x).sum(), x))(Array({4, 5}));
  EXPECT_TRUE(same_elements(h, Array({{0, 0}, {0, 0}}))) << to_text(h);
}

TEST(Rop, OfAVectorTimesAMatrix) {
  const Variable x = vector("x", DType::float64), w = matrix("w", DType::float64);
  const Variable v = matrix("v", DType::float64);
  const Array r = function({x, w, v}, Rop(dot(x, w), w, v) + 0 * dot(x, w))(
      Array({0, 1}), Array({{1, 1}, {1, 1}}), Array({{2, 2}, {2, 2}}));
  EXPECT_TRUE(same_elements(r, Array({2, 2})));
}

TEST(Lop, OfAVectorTimesAMatrix) {
  const Variable x = vector("x", DType::float64), w = matrix("w", DType::float64);
  const Variable v = vector("v", DType::float64);
  const Array r = function({x, w, v}, Lop(dot(x, w), w, v) + 0 * w)(
      Array({0, 1}), Array({{1, 1}, {1, 1}}), Array({2, 2}));
  EXPECT_TRUE(same_elements(r, Array({{0, 0}, {2, 2}})));
}

TEST(Rop, OfAGradientIsHessianTimesVector) {
  const Variable x = vector("x", DType::float64), v = vector("v", DType::float64);
  const Variable g = grad(sqr(x).sum(), x);
  const Array r = function({x, v}, Rop(g, x, v))(Array({4, 4}), Array({2, 2}));
  EXPECT_TRUE(same_elements(r, Array({4, 4})));
  // The other recipe: the gradient of gradient times vector.
  const Array again =
      function({x, v}, grad((g * v).sum(), x) + 0 * x)(Array({4, 4}), Array({2, 2}));
  EXPECT_TRUE(same_elements(again, Array({4, 4})));
}

TEST(Rop, TransposesPullbacksWithoutAPushforward) {
  const Variable x = matrix("x", DType::float64), v = matrix("v", DType::float64);
  const Array at({{1, 5}, {7, 3}}), direction({{1, 2}, {3, 4}});
  const auto moved = [&](const Variable& f) -> Array {
    return function({x, v}, Rop(f, x, v) + 0 * f)(at, direction);
  };
  EXPECT_TRUE(same_elements(moved(max(x, Axes{1})), Array({2, 3})));
  EXPECT_TRUE(same_elements(moved(prod(x, Axes{1})), Array({7, 37})));
  EXPECT_TRUE(same_elements(moved(transpose(x)), Array({{1, 3}, {2, 4}})));
}

TEST(Rop, OfWhatDoesNotMoveIsAnError) {
  const Variable x = vector("x", DType::float64), y = vector("y", DType::float64);
  EXPECT_THROW(Rop(sqr(y), x, x), Error);
  EXPECT_THROW(Rop(undefined_grad(x) * 2, x, x), Error);
}

TEST(SubgraphGrad, ChainsGradientsOfParts) {
  const Variable x = scalar("x", DType::float64);
  const Variable middle = sqr(x), end = middle * 3;
  const Vars outer = subgraph_grad({middle}, {end}, {constant(Array(1.0))});
  const Vars inner = subgraph_grad({x}, {middle}, outer);
  EXPECT_EQ(Array(function({x}, inner[0])(2.0)).item(), 12);
}

}  // namespace
}  // namespace hypatia
