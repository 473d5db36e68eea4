// Convolution and pooling: values by hand, gradients by differences.
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

Array image(std::vector<double> values, const Dims& dims) {
  return Array::of<double>(values).reshape(dims);
}

const Array three_by_three = image({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3});
const Array two_by_two = image({1, 10, 100, 1000}, {1, 1, 2, 2});

Array convolved(const Array& x, const Array& f, const ConvOptions& options = {}) {
  const Variable images = tensor4("x", DType::float64), filters = tensor4("f", DType::float64);
  return function({images, filters}, conv2d(images, filters, options))(x, f);
}

TEST(Conv2d, TurnsItsFilters) {
  const Array y = convolved(three_by_three, two_by_two);
  EXPECT_TRUE(same_elements(y, image({1245, 2356, 4578, 5689}, {1, 1, 2, 2}))) << to_text(y);
}

TEST(Conv2d, ReachesOverTheBorder) {
  const Array full = convolved(three_by_three, two_by_two, {.border_mode = "full"});
  EXPECT_EQ(full.dims(), (Dims{1, 1, 4, 4}));
  EXPECT_EQ(full.at({0, 0, 0, 0}), 1);
  EXPECT_EQ(full.at({0, 0, 3, 3}), 9000);
  EXPECT_EQ(full.at({0, 0, 1, 1}), 1245);
  const Array ones = Array::ones(DType::float64, {1, 1, 3, 3});
  const Array half = convolved(three_by_three, ones, {.border_mode = "half"});
  EXPECT_TRUE(same_elements(half, image({12, 21, 16, 27, 45, 33, 24, 39, 28}, {1, 1, 3, 3})))
      << to_text(half);
}

TEST(Conv2d, Strides) {
  const Array y = convolved(
      three_by_three,
      Array::ones(DType::float64, {1, 1, 1, 1}),
      {.row_stride = 2, .column_stride = 2});
  EXPECT_TRUE(same_elements(y, image({1, 3, 7, 9}, {1, 1, 2, 2})));
}

TEST(Conv2d, RefusesWhatDoesNotFit) {
  const Array wide = Array::ones(DType::float64, {1, 1, 5, 5});
  EXPECT_THROW(convolved(three_by_three, wide), Error);
  EXPECT_THROW(convolved(three_by_three, Array::ones(DType::float64, {1, 2, 2, 2})), Error);
  EXPECT_THROW(convolved(three_by_three, two_by_two, {.border_mode = "some"}), Error);
}

TEST(Conv2d, GradientsMatchDifferences) {
  RandomState random(1);
  const Array x = random.randn({2, 3, 5, 6}), f = random.randn({4, 3, 2, 3});
  for (const char* mode : {"valid", "full", "half"}) {
    for (int stride : {1, 2}) {
      expect_gradients_match(
          [&](const Vars& in) {
            return conv2d(
                in[0], in[1], {.border_mode = mode, .row_stride = stride, .column_stride = 1});
          },
          {x, f});
    }
  }
}

TEST(Conv2d, SecondDerivativesMatchDifferences) {
  RandomState random(2);
  const Array x = random.randn({1, 2, 4, 4}), f = random.randn({2, 2, 2, 2});
  expect_gradients_match(
      [](const Vars& in) {
        const Variable cost = sqr(conv2d(in[0], in[1])).sum();
        const Vars g = grad(cost, {in[0], in[1]});
        return sum(sqr(g[0])) + sum(sqr(g[1]));
      },
      {x, f});
}

TEST(Pool2d, TakesLargestOrMean) {
  const Variable x = tensor4("x", DType::float64);
  const Array values = image({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {1, 1, 3, 5});
  const Array largest = function({x}, pool_2d(x))(values);
  EXPECT_TRUE(same_elements(largest, image({7, 9}, {1, 1, 1, 2}))) << to_text(largest);
  const Array mean = function({x}, pool_2d(x, {.mode = "average"}))(values);
  EXPECT_TRUE(same_elements(mean, image({4, 6}, {1, 1, 1, 2}))) << to_text(mean);
  const Array overlapping =
      function({x}, pool_2d(x, {.row_stride = 1, .column_stride = 3}))(values);
  EXPECT_TRUE(same_elements(overlapping, image({7, 10, 12, 15}, {1, 1, 2, 2})));
}

TEST(Pool2d, GradientsMatchDifferences) {
  RandomState random(3);
  const Array x = random.randn({2, 2, 5, 6});
  for (const char* mode : {"max", "average"}) {
    for (int stride : {0, 1}) {
      expect_gradients_match(
          [&](const Vars& in) {
            const PoolOptions options{.row_stride = stride, .column_stride = stride, .mode = mode};
            return pool_2d(in[0], options);
          },
          {x});
    }
  }
}

}  // namespace
}  // namespace hypatia
