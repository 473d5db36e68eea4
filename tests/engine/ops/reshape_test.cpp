#include <gtest/gtest.h>

#include "engine/ops/values.h"

using namespace hypatia;

namespace {

TEST(Reshape, KeepsRowMajorOrder) {
  const Variable x = counting({2, 6});
  const Array y = asarray(value_of(x.reshape({3, -1})));
  EXPECT_EQ(y.dims(), (Dims{3, 4}));
  EXPECT_EQ(y.to_vector(), (List{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(list_of(x.T().flatten()), (List{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
}

TEST(Reshape, RefusesOtherCounts) {
  const Variable x = counting({2, 6});
  EXPECT_THROW(value_of(x.reshape({5, 2})), Error);
  EXPECT_THROW(value_of(x.reshape({-1, 5})), Error);
}

TEST(Reshape, OfNoElements) {
  const auto dims_of = [](const Variable& v) { return value_of(v).dims(); };
  const auto none = [](const Dims& dims) {
    return shared(Array::zeros(DType::float64, dims), "none");
  };
  EXPECT_EQ(dims_of(flatten(none({3, 0}))), (Dims{0}));
  EXPECT_EQ(dims_of(flatten(none({0, 0}))), (Dims{0}));
  EXPECT_EQ(dims_of(flatten(none({2, 0, 3}), 2)), (Dims{2, 0}));
  EXPECT_EQ(dims_of(reshape(none({2, 0, 3}), {-1, 3})), (Dims{0, 3}));
  EXPECT_EQ(dims_of(repeat(none({0}), 2, 0)), (Dims{0}));
  EXPECT_EQ(dims_of(repeat(counting({2, 3}), 0, 0)), (Dims{0, 3}));
  EXPECT_EQ(dims_of(tile(counting({2}), {3, 0})), (Dims{3, 0}));
}

TEST(Reshape, TakesSizesOfOtherValues) {
  const Variable x = matrix("x", "float32"), y = vector("y", "float32");
  const Function f = function({x, y}, reshape(x, {y.shape(0), -1}));
  EXPECT_EQ(
      f(Array::zeros(DType::float32, {4, 3}), Array::zeros(DType::float32, {6})).only().dims(),
      (Dims{6, 2}));
  EXPECT_EQ(
      f(Array::zeros(DType::float32, {0, 3}), Array::zeros(DType::float32, {2})).only().dims(),
      (Dims{2, 0}));
}

TEST(Reshape, ShapeIsAVector) {
  const Variable x = counting({2, 5});
  EXPECT_EQ(list_of(x.shape()), (List{2, 5}));
}

TEST(Alloc, RepeatsAValue) {
  EXPECT_EQ(list_of(full({2, 3}, 7.0f)), (List{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(list_of(zeros({3}) + counting({3})), (List{0, 1, 2}));
  EXPECT_EQ(list_of(broadcast_to(counting({2}), {2, 2})), (List{0, 1, 0, 1}));
}

TEST(Alloc, SizesMayBeInputs) {
  const Variable n = scalar("n", "int64");
  const Function f = function({n}, ones({n, 2}) * 3);
  EXPECT_EQ(asarray(f(Array(std::int64_t{3})).only()).dims(), (Dims{3, 2}));
  EXPECT_EQ(asarray(f(Array(std::int64_t{0})).only()).dims(), (Dims{0, 2}));
  EXPECT_EQ(asarray(f(Array(std::int64_t{1})).only()).to_vector(), (List{3, 3}));
}

TEST(Axes, MoveAndSwap) {
  const Variable x = counting({2, 3, 4});
  EXPECT_EQ(asarray(value_of(moveaxis(x, 0, 2))).dims(), (Dims{3, 4, 2}));
  EXPECT_EQ(asarray(value_of(swapaxes(x, 0, 2))).dims(), (Dims{4, 3, 2}));
  EXPECT_EQ(value_of(squeeze(expand_dims(x, 1))).dims(), (Dims{2, 3, 4}));
}

TEST(Tile, RepeatsBlocksAndElements) {
  EXPECT_EQ(list_of(tile(counting({2}), {3})), (List{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(list_of(tile(counting({1, 2}), {2, 2})), (List{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(list_of(repeat(counting({3}), 2, 0)), (List{0, 0, 1, 1, 2, 2}));
}

TEST(Repeat, CountsEachElement) {
  const Variable x = counting({3, 2});
  const Variable counts = shared(Array::of<std::int32_t>({1, 0, 2}), "counts");
  EXPECT_EQ(list_of(repeat(x, counts, 0)), (List{0, 1, 4, 5, 4, 5}));
  EXPECT_EQ(list_of(repeat(x, Array::of<std::int64_t>({2}), 1)).size(), 12U);
  EXPECT_EQ(list_of(repeat(x, Array::of<std::int64_t>({2, 0}), -1)), (List{0, 0, 2, 2, 4, 4}));
  EXPECT_EQ(list_of(grad(sum(sqr(repeat(x, counts, 0))), x)), (List{0, 2, 0, 0, 16, 20}));
  const Variable v = dvector("v"), n = lvector("n");
  const Function f = function({v, n}, repeat(v, n, 0));
  const auto call = [&](const Array& values, const Array& times) {
    return asarray(f(values, times)).to_vector();
  };
  EXPECT_EQ(call(Array({5, 6}), Array::of<std::int64_t>({0, 3})), (List{6, 6, 6}));
  EXPECT_EQ(call(Array({5, 6}), Array::of<std::int64_t>({2})), (List{5, 5, 6, 6}));
  EXPECT_EQ(call(Array::zeros(DType::float64, {0}), Array::of<std::int64_t>({})), List{});
}

TEST(Arange, CountsWithSteps) {
  EXPECT_EQ(list_of(arange(5)), (List{0, 1, 2, 3, 4}));
  EXPECT_EQ(list_of(arange(7, 1, -2)), (List{7, 5, 3}));
  EXPECT_EQ(list_of(arange(3, 1)), List{});
  EXPECT_EQ(list_of(arange(0.0, 1.0, 0.25)), (List{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(list_of(linspace(0.0, 1.0, 5)), (List{0, 0.25, 0.5, 0.75, 1}));
  const Variable n = scalar("n", "int64");
  const Function f = function({n}, arange(n) * 2);
  EXPECT_EQ(f(Array(std::int64_t{100})).only().to_vector()[99], 198);
  EXPECT_EQ(f(Array(std::int64_t{2})).only().to_vector(), (List{0, 2}));
}

TEST(Eye, AndTriangles) {
  EXPECT_EQ(list_of(eye(2, 3)), (List{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(list_of(eye(2, 3, 1)), (List{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(list_of(tril(counting({3, 3}))), (List{0, 0, 0, 3, 4, 0, 6, 7, 8}));
  EXPECT_EQ(list_of(triu(counting({3, 3}), 1)), (List{0, 1, 2, 0, 0, 5, 0, 0, 0}));
}

TEST(Diag, TakesAndMakes) {
  EXPECT_EQ(list_of(diag(counting({3, 4}), 1)), (List{1, 6, 11}));
  EXPECT_EQ(list_of(diag(counting({3, 4}), -1)), (List{4, 9}));
  EXPECT_EQ(list_of(diag(counting({2}), -1)), (List{0, 0, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(Join, PutsPartsTogether) {
  const Variable a = counting({2, 2}), b = counting({2, 1}), none_of = counting({2, 0});
  EXPECT_EQ(list_of(join(1, {a, none_of, b + 10})), (List{0, 1, 10, 2, 3, 11}));
  EXPECT_EQ(list_of(stack({counting({2}), counting({2})}, 1)), (List{0, 0, 1, 1}));
  EXPECT_THROW(value_of(join(0, {a, b})), Error);
}

TEST(Join, GradientGoesToItsPart) {
  const Variable a = counting({2}), b = counting({3});
  const Variable cost = (join(0, {a, b}) * counting({5})).sum();
  const Vars g = grad(cost, Vars{a, b});
  EXPECT_EQ(list_of(g[0]), (List{0, 1}));
  EXPECT_EQ(list_of(g[1]), (List{2, 3, 4}));
}

TEST(Reshape, GradientsComeBackInTheFirstShape) {
  const Variable x = counting({2, 3});
  EXPECT_EQ(
      list_of(grad((x.reshape({3, 2}) * counting({3, 2})).sum(), x)), (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(
      list_of(grad((tile(x, {2, 1}) * counting({4, 3})).sum(), x)), (List{6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(list_of(grad(diag(x, 1).sum(), x)), (List{0, 1, 0, 0, 0, 1}));
}

}  // namespace
