// What must hold of numbers, when built or at the call, and the words of those who ask for it.
#include "engine/ops/require.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

void expect_told(const std::string& said, const std::function<void()>& make) {
  try {
    make();
    ADD_FAILURE() << "no error; expected: " << said;
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(said), std::string::npos) << text;
    EXPECT_NE(text.find("require_test.cpp:"), std::string::npos) << text;
  }
}

Array ramp(std::int64_t n) {
  return Array::arange(n).astype(DType::float64);
}

TEST(Require, PassesItsNumberOrSaysWhy) {
  const Variable n = lscalar("n"), least = lscalar("least");
  const RequireAttrs words{"{0} is below {1}", "give more"};
  const Variable checked = require(n, n >= least, words, Origin::here(), {least});
  const Function as_value = function({n, least}, checked * 2);
  EXPECT_EQ(Array(as_value(Array(std::int64_t{5}), Array(std::int64_t{3}))).item(), 10);
  expect_told("2 is below 3", [&] { as_value(Array(std::int64_t{2}), Array(std::int64_t{3})); });
  const Function as_size = function({n, least}, zeros({checked}));
  EXPECT_EQ(Array(as_size(Array(std::int64_t{5}), Array(std::int64_t{3}))).dims(), (Dims{5}));
  expect_told("2 is below 3", [&] { as_size(Array(std::int64_t{2}), Array(std::int64_t{3})); });
}

TEST(Require, SplitTakesSizesThatSumToTheAxis) {
  const Variable v = dvector("v"), k = lscalar("k");
  const auto part = [&](const Operands& sizes, std::size_t i, std::int64_t n) {
    return Array(function({v}, split(v, sizes, 0)[i])(ramp(n)));
  };
  EXPECT_EQ(part({2, 0, 3}, 2, 5).to_vector(), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(part({2, 0, 3}, 1, 5).elements(), 0);
  // Whichever part is asked for.
  for (std::size_t i : {0U, 1U}) {
    expect_told("sum to 4, of an axis with a size of 5", [&] { part({2, 2}, i, 5); });
    expect_told("sum to 11, of an axis with a size of 7", [&] { part({2, 9}, i, 7); });
    expect_told("a part is to have a size of -2", [&] { part({-2, 9}, i, 7); });
  }
  const Function f = function({v, k}, split(v, {k, 3}, 0)[0]);
  EXPECT_EQ(Array(f(ramp(5), Array(std::int64_t{2}))).to_vector(), (std::vector<double>{0, 1}));
  expect_told("sum to 4, of an axis with a size of 5", [&] { f(ramp(5), Array(std::int64_t{1})); });
  const Array slope = function({v}, grad(sqr(split(v, {2, 3}, 0)[1]).sum(), v))(ramp(5));
  EXPECT_EQ(slope.to_vector(), (std::vector<double>{0, 0, 4, 6, 8}));
}

TEST(Require, ArangeCountsBetweenFiniteBounds) {
  const Variable x = dscalar("x"), k = lscalar("k");
  const std::string said = "arange counts by steps that are not 0 between finite bounds";
  expect_told(said, [] { function({}, arange(0, 5, 0))(); });
  expect_told(said, [] { function({}, arange(0.0, 5.0, 0.0))(); });
  expect_told(said, [] { function({}, arange(NAN))(); });
  expect_told(said, [] { function({}, arange(0, INFINITY))(); });
  expect_told(said, [&] { function({x}, arange(x))(Array(NAN)); });
  expect_told(said, [&] { function({k}, arange(0, 5, k))(Array(std::int64_t{0})); });
  EXPECT_EQ(
      Array(function({x}, arange(x))(Array(2.5))).to_vector(), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(Array(function({}, arange(5, 0, -2))()).to_vector(), (std::vector<double>{5, 3, 1}));
  EXPECT_EQ(Array(function({}, arange(0, -3))()).elements(), 0);
}

TEST(Require, ShapesAndPlaces) {
  const Variable t = dtensor3("t"), v = dvector("v"), x = dmatrix("x");
  expect_told("flatten to 4 axes of a value with 3", [&] { flatten(t, 4); });
  expect_told("flatten to 0 axes of a value with 3", [&] { flatten(t, 0); });
  expect_told("join", [&] { join(1, {v}); });
  expect_told("join", [&] { join(-3, {v}); });
  expect_told(
      "topk of 6 elements along an axis with 5", [&] { function({v}, topk(v, 6))(ramp(5)); });
  expect_told("topk of -1 elements", [&] { function({v}, argtopk(v, -1))(ramp(5)); });
  EXPECT_EQ(Array(function({v}, topk(v, 5))(ramp(5))).elements(), 5);
  expect_told("beside a size of 0 any size would do for -1", [&] {
    function({x}, reshape(x, {-1, 0}))(Array::zeros(DType::float64, {0, 3}));
  });
  const Array none = function({t}, flatten(t, 2))(Array::zeros(DType::float64, {0, 2, 3}));
  EXPECT_EQ(none.dims(), (Dims{0, 6}));
}

TEST(Require, LinspaceIsOfFloatX) {
  EXPECT_EQ(linspace(0.0, 1.0, 11).dtype(), config().float_x());
  EXPECT_EQ(linspace(0, 1, 11).dtype(), config().float_x());
  EXPECT_EQ(linspace(dscalar(), 1, 11).dtype(), DType::float64);
}

TEST(Require, RandomNumbersThatCanBeDrawn) {
  RandomStreams rng(3);
  const Variable k = lscalar("k");
  expect_told(
      "choice without replacement of 7 from 5", [&] { function({}, rng.choice({7}, 5, false))(); });
  expect_told("binomial: a probability of 1.5", [&] { rng.binomial({2}, 1, 1.5); });
  expect_told("random_integers from 5 to 3", [&] { rng.random_integers({2}, 5, 3); });
  expect_told("an axis is to have a size of -3", [&] {
    function({k}, rng.uniform({k}))(Array(std::int64_t{-3}));
  });
}

}  // namespace
}  // namespace hypatia
