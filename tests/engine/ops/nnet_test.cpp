// Functions of layers: values, gradients, and both far from 0.
#include <cmath>
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

Array at(const Variable& x, const Variable& expression, const Array& value) {
  return function({x}, expression)(value);
}

void expect_close(const Array& a, const Array& b, double tolerance = 1e-12) {
  EXPECT_TRUE(all_close(a, b, tolerance, tolerance)) << to_text(a) << "\nis not\n" << to_text(b);
}

const Array rows({{1, 2, 3}, {1000, 0, -1000}});

TEST(Softmax, SumsToOneFarFromZero) {
  const Variable x = matrix("x", DType::float64);
  const Array s = at(x, softmax(x), rows);
  const double a = std::exp(-2.0), b = std::exp(-1.0), total = a + b + 1;
  expect_close(s, Array({{a / total, b / total, 1 / total}, {1, 0, 0}}));
  expect_close(at(x, transpose(softmax(transpose(x), 0)), rows), s);
}

TEST(LogSoftmax, IsExactWhereSoftmaxIsZero) {
  const Variable x = matrix("x", DType::float64);
  const double shift = std::log(std::exp(-2.0) + std::exp(-1.0) + 1);
  const Array wanted({{-2 - shift, -1 - shift, -shift}, {0, -1000, -2000}});
  expect_close(at(x, log_softmax(x), rows), wanted);
  // The same by its rule.
  expect_close(at(x, log(softmax(x)), rows), wanted);
}

TEST(LogSumExp, KeepsOrDropsItsAxes) {
  const Variable x = matrix("x", DType::float64);
  const double shift = std::log(std::exp(-2.0) + std::exp(-1.0) + 1);
  expect_close(at(x, logsumexp(x, 1), rows), Array({3 + shift, 1000}));
  expect_close(at(x, logsumexp(x), rows), Array(1000.0));
  EXPECT_EQ(logsumexp(x, Axes({1}, true)).ndim(), 2);
}

TEST(LogSumExp, OfMinusInfinityIsMinusInfinity) {
  const Variable x = vector("x", DType::float64);
  EXPECT_EQ(at(x, logsumexp(x), Array({-INFINITY, -INFINITY})).item(), -INFINITY);
}

TEST(CrossEntropy, RefusesLabelsOfNoClass) {
  const Variable p = matrix("p", DType::float64), y = lvector("y");
  const Array rows_of_three({{0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}});
  for (const Variable& cost : {categorical_crossentropy(p, y), crossentropy_softmax(p, y)}) {
    const Function f = function({p, y}, cost);
    const auto with = [&](const Array& labels) { return Array(f(rows_of_three, labels)); };
    const Array last = with(Array({0, 2}).astype(DType::int64));
    EXPECT_TRUE(same_elements(with(Array({0, -1}).astype(DType::int64)), last));
    for (double label : {3.0, -4.0}) {
      try {
        with(Array({0.0, label}).astype(DType::int64));
        ADD_FAILURE() << "no error for the label " << label;
      } catch (const Error& error) {
        const std::string said =
            "the label " + std::to_string(static_cast<int>(label)) + " is none of 3 classes";
        EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Rectifiers, OnBothSides) {
  const Variable x = vector("x", DType::float64);
  const Array v({-2, 0, 3, NAN});
  expect_close(at(x, relu(x), v), Array({0, 0, 3, NAN}));
  expect_close(at(x, relu(x, 0.1), v), Array({-0.2, 0, 3, NAN}));
  const Array wide({-2, 0, 3, 5000});
  expect_close(at(x, elu(x), wide), Array({std::expm1(-2), 0, 3, 5000}));
  expect_close(at(x, grad(elu(x).sum(), x), wide), Array({std::exp(-2), 1, 1, 1}));
  expect_close(at(x, grad(relu(x, 0.1).sum(), x), wide), Array({0.1, 0.1, 1, 1}));
}

TEST(Rectifiers, KeepFloat32) {
  const Variable x = vector("x", DType::float32);
  for (const Variable& v : {relu(x), relu(x, 0.1), elu(x), hard_sigmoid(x), ultra_fast_sigmoid(x)})
    EXPECT_EQ(v.dtype(), DType::float32);
}

TEST(CheapSigmoids, StayNearTheSigmoid) {
  const Variable x = vector("x", DType::float64);
  std::vector<double> points;
  for (int i = -80; i <= 80; ++i)
    points.push_back(i / 8.0);
  const Array v = Array::of<double>(points);
  const Array off = at(x, max(abs(ultra_fast_sigmoid(x) - sigmoid(x))), v);
  EXPECT_LT(off.item(), 0.07);
  expect_close(at(x, hard_sigmoid(x), Array({-9, 0, 1, 9})), Array({0, 0.5, 0.7, 1}));
}

TEST(BinaryCrossentropy, IsFiniteFarFromZero) {
  const Variable x = vector("x", DType::float64);
  const Array target({0, 1, 1}), v({-800, -800, 800});
  for (const Variable& cost :
       {binary_crossentropy(sigmoid(x), target), sigmoid_binary_crossentropy(x, target)}) {
    expect_close(at(x, cost, v), Array({0, 800, 0}));
    expect_close(at(x, grad(cost.sum(), x), v), Array({0, -1, 0}));
  }
}

TEST(CategoricalCrossentropy, TakesDistributionsAndClasses) {
  const Variable x = matrix("x", DType::float64);
  const Array classes = Array({2, 1}).astype(DType::int64);
  const Array one_hot({{0, 0, 1}, {0, 1, 0}});
  const double shift = std::log(std::exp(-2.0) + std::exp(-1.0) + 1);
  const Array cost({shift, 1000});
  for (const Array& targets : {classes, one_hot}) {
    expect_close(at(x, crossentropy_softmax(x, targets), rows), cost);
    expect_close(at(x, categorical_crossentropy(softmax(x), targets), rows), cost);
  }
}

TEST(CategoricalCrossentropy, HasFiniteGradients) {
  const Variable x = matrix("x", DType::float64);
  const Array classes = Array({2, 1}).astype(DType::int64);
  const double a = std::exp(-2.0), b = std::exp(-1.0), total = a + b + 1;
  const Array wanted({{a / total, b / total, 1 / total - 1}, {1, -1, 0}});
  expect_close(at(x, grad(crossentropy_softmax(x, classes).sum(), x), rows), wanted);
  expect_close(at(x, grad(categorical_crossentropy(softmax(x), classes).sum(), x), rows), wanted);
}

TEST(CategoricalCrossentropy, RefusesOtherTargets) {
  const Variable x = matrix("x", DType::float64);
  EXPECT_THROW(crossentropy_softmax(x, vector("t", DType::float64)), Error);
}

TEST(BatchNormalization, ScalesAndShifts) {
  const Variable x = matrix("x", DType::float64);
  const Array y =
      at(x,
         batch_normalization(x, Array({2, 3}), Array({10, 20}), Array({1, 1}), Array({2, 1})),
         Array({{3, 4}}));
  expect_close(y, Array({{12, 29}}));
}

}  // namespace
}  // namespace hypatia
