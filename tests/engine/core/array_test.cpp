// Arrays: how they are made, read, viewed, reshaped and compared, and what they refuse.
#include "engine/core/array.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "engine/core/error.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

using Values = std::vector<double>;

TEST(Array, IsMadeFromNumbersListsAndFills) {
  EXPECT_EQ(Array().dims(), Dims{0});
  EXPECT_EQ(Array(2.5).dtype(), DType::float64);
  EXPECT_EQ(Array(2.5F).dtype(), DType::float32);
  EXPECT_EQ(Array(2).dtype(), DType::int32);
  EXPECT_EQ(Array(std::int64_t{2}).dtype(), DType::int64);
  EXPECT_EQ(Array(true).dtype(), DType::boolean);
  EXPECT_EQ(Array({{1, 2, 3}, {4, 5, 6}}).dims(), (Dims{2, 3}));
  EXPECT_EQ(Array({{1, 2, 3}, {4, 5, 6}}).to_vector(), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Array::of<int>({3, 1}).dtype(), DType::int32);
  EXPECT_EQ(Array::full(DType::int16, {2, 2}, -7).to_vector(), (Values{-7, -7, -7, -7}));
  EXPECT_EQ(Array::eye(3, DType::uint8).to_vector(), (Values{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(Array::eye(0).elements(), 0);
  EXPECT_EQ(Array::arange(4, DType::float32).to_vector(), (Values{0, 1, 2, 3}));
  EXPECT_EQ(Array::ones(DType::boolean, {2}).to_vector(), (Values{1, 1}));
}

TEST(Array, BorrowsWithoutCopying) {
  double memory[] = {1, 2, 3, 4};
  Array a = Array::borrow(memory, {2, 2});
  memory[3] = 9;
  EXPECT_EQ(a.at({1, 1}), 9);
  a.data<double>()[0] = 5;
  EXPECT_EQ(memory[0], 5);
}

TEST(Array, CopiesShareAndCopyDoesNot) {
  const Array a({1, 2}), view = a, own = a.copy();
  a.data<double>()[0] = 7;
  EXPECT_EQ(view.at({0}), 7);
  EXPECT_EQ(own.at({0}), 1);
}

TEST(Array, IndexesFromBothEnds) {
  const Array a = Array::arange(6).reshape({2, 3});
  EXPECT_EQ(a[1].to_vector(), (Values{3, 4, 5}));
  EXPECT_EQ(a[-1][-3].item(), 3);
  EXPECT_EQ(a.dim(-1), 3);
  EXPECT_MESSAGE(a[2], "index 2 is out of bounds for axis 0 with size 2");
  EXPECT_MESSAGE(a[0][-4], "index -4 is out of bounds for axis 0 with size 3");
  EXPECT_MESSAGE(a.dim(2), "axis 2 is out of bounds for an array of 2 dimensions");
  EXPECT_MESSAGE(
      Array(1.0)[0], "a 0-d array can't be indexed\n   help: read its only element by item()");
}

TEST(Array, SlicesAsPythonDoes) {
  const Array a = Array::arange(10);
  EXPECT_EQ(a.slice(0, 2, 5).to_vector(), (Values{2, 3, 4}));
  EXPECT_EQ(a.slice(0, -3, 10).to_vector(), (Values{7, 8, 9}));
  EXPECT_EQ(a.slice(0, 1, 100, 4).to_vector(), (Values{1, 5, 9}));
  EXPECT_EQ(a.slice(0, -1, -4, -1).to_vector(), (Values{9, 8, 7}));
  EXPECT_EQ(a.slice(0, -1, INT64_MIN, -3).to_vector(), (Values{9, 6, 3, 0}));
  EXPECT_EQ(a.slice(0, 100, 7, -1).to_vector(), (Values{9, 8}));
  EXPECT_EQ(a.slice(0, 5, 2).elements(), 0);
  EXPECT_EQ(a.slice(0, -1, INT64_MIN, -1).slice(0, 1, 4, 2).to_vector(), (Values{8, 6}));
  EXPECT_MESSAGE(a.slice(0, 1, 2, 0), "the step of a slice can't be 0");
}

TEST(Array, ASliceOfAnySizeAndStepHasPythonsElements) {
  for (std::int64_t n : {0, 1, 5}) {
    for (std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
      for (std::int64_t first = -7; first <= 7; ++first) {
        for (std::int64_t last = -7; last <= 7; ++last) {
          Values expected;
          const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
          const std::int64_t f = std::clamp(first < 0 ? first + n : first, low, high);
          const std::int64_t l = std::clamp(last < 0 ? last + n : last, low, high);
          for (std::int64_t i = f; step > 0 ? i < l : i > l; i += step)
            expected.push_back(static_cast<double>(i));
          EXPECT_EQ(Array::arange(n).slice(0, first, last, step).to_vector(), expected);
        }
      }
    }
  }
}

TEST(Array, ReshapesAsAViewWherePossible) {
  const Array a = Array::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(a.reshape({6, 4}).address(), a.address());
  EXPECT_EQ(a.reshape({-1}).dims(), Dims{24});
  EXPECT_EQ(a.reshape({2, -1, 2}).dims(), (Dims{2, 6, 2}));
  const Array columns = a.reshape({6, 4}).slice(1, 0, 4, 2);
  EXPECT_EQ(columns.reshape({2, 3, 2}).address(), columns.address());
  EXPECT_EQ(
      columns.reshape({3, 4}).to_vector(), (Values{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
  EXPECT_EQ(columns.reshape({12}).address(), columns.address());
  const Array t = a.transpose();
  EXPECT_NE(t.reshape({24}).address(), t.address());
  EXPECT_EQ(t.reshape({24}).to_vector()[1], 12);
  EXPECT_EQ(t.reshape({4, 3, 1, 2, 1}).address(), t.address());
  EXPECT_EQ(Array(3.0).reshape({1, 1}).dims(), (Dims{1, 1}));
  EXPECT_EQ(Array::zeros(DType::int8, {0, 3}).reshape({3, -1}).dims(), (Dims{3, 0}));
}

TEST(Array, RefusesAReshapeOfAnotherSize) {
  const Array a = Array::arange(6);
  EXPECT_MESSAGE(
      a.reshape({4}),
      "can't reshape an array of shape (6,) into shape (4,)\n"
      "   help: both need the same number of elements; one size may be -1");
  EXPECT_THROW(a.reshape({-1, -1}), Error);
  EXPECT_THROW(a.reshape({-2, -3}), Error);
  EXPECT_THROW(a.reshape({4, -1}), Error);
  EXPECT_THROW(Array::zeros(DType::int8, {0}).reshape({0, -1}), Error);
}

TEST(Array, KnowsWhenItIsContiguous) {
  const Array a = Array::arange(6).reshape({2, 3});
  EXPECT_TRUE(a.contiguous());
  EXPECT_TRUE(a[1].contiguous());
  EXPECT_FALSE(a.transpose().contiguous());
  EXPECT_TRUE(a.slice(0, 1, 2).transpose().contiguous());
  EXPECT_FALSE(a.slice(1, 0, 3, 2).contiguous());
  EXPECT_TRUE(a.slice(1, 0, 0).contiguous());
  EXPECT_EQ(a.contiguous_on_host().address(), a.address());
  EXPECT_EQ(a.transpose().contiguous_on_host().to_vector(), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_MESSAGE(
      a.transpose().span<std::int64_t>(),
      "a span needs contiguous elements, and this view of shape (3, 2) has gaps\n"
      "   help: copy it first: value.copy()");
}

TEST(Array, ConvertsAsCDoes) {
  const Array a({-1.9, 0, 1.9, 300});
  EXPECT_EQ(a.astype(DType::int32).to_vector(), (Values{-1, 0, 1, 300}));
  EXPECT_EQ(a.astype(DType::uint8).to_vector(), (Values{255, 0, 1, 44}));
  EXPECT_EQ(a.astype(DType::boolean).to_vector(), (Values{1, 0, 1, 1}));
  EXPECT_EQ(Array(std::int64_t{1} << 40).astype(DType::int32).item(), 0);
  EXPECT_EQ(Array(16777217).astype(DType::float32).item(), 16777216);
  const Array lost({1e300, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(lost.astype(DType::int32).to_vector(), (Values(2, -2147483648.0)));
  EXPECT_EQ(Array(18446744073709549568.0).astype(DType::uint64).item(), 18446744073709549568.0);
  EXPECT_EQ(lost.astype(DType::boolean).to_vector(), (Values{1, 1}));
  EXPECT_EQ(a.astype(DType::float64).address() == a.address(), false);
}

TEST(Array, EveryDTypeConvertsToEveryOther) {
  for (int from = 0; from < dtype_count; ++from) {
    for (int to = 0; to < dtype_count; ++to) {
      const Array a = Array({{0, 1, 0}, {1, 1, 0}}).astype(static_cast<DType>(from));
      const Array b = a.transpose().astype(static_cast<DType>(to));
      EXPECT_EQ(b.dtype(), static_cast<DType>(to));
      EXPECT_EQ(b.to_vector(), (Values{0, 1, 1, 1, 0, 0}));
    }
  }
}

TEST(Array, ComparesElements) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same_elements(Array({1, nan}), Array({1, nan})));
  EXPECT_FALSE(same_elements(Array({1, nan}), Array({nan, 1})));
  EXPECT_FALSE(same_elements(Array({1, 2}), Array::of<float>({1, 2})));
  EXPECT_FALSE(same_elements(Array({1}), Array({1}).reshape({1, 1})));
  EXPECT_TRUE(all_close(Array({1, nan, inf}), Array({1.000001, nan, inf})));
  EXPECT_FALSE(all_close(Array({1}), Array({1.0001})));
  EXPECT_FALSE(all_close(Array({inf}), Array({-inf})));
  EXPECT_FALSE(all_close(Array({1}), Array({inf})));
  EXPECT_FALSE(all_close(Array({1e-6}), Array({0})));
  EXPECT_TRUE(all_close(Array::of<float>({1e-6F}), Array::of<float>({0})));
  EXPECT_TRUE(all_close(Array({1}), Array({1.0001}), 1e-3, 0));
}

TEST(Array, RefusesTheWrongDType) {
  EXPECT_MESSAGE(
      Array({1}).data<float>(),
      "an array of dtype float64 was read as float32\n"
      "   help: convert it first: value.astype(DType::float32)");
  EXPECT_MESSAGE(
      Array({1, 2}).item(),
      "item() wants exactly one element, and the shape is (2,)\n"
      "   help: take one by at({…}), or all by to_vector()");
  EXPECT_MESSAGE(
      Array({{1}, {2, 3}}),
      "the rows of a matrix have 1 and 2 elements\n"
      "   help: give every row the same number of elements");
  EXPECT_MESSAGE(
      Array(DType::int8, {2, -1}),
      "an array can't have shape (2, ?)\n"
      "   help: sizes are 0 or more and known when an array is made");
  EXPECT_MESSAGE(
      Array(DType::int64, {std::int64_t{1} << 40, std::int64_t{1} << 40}),
      "an array of shape (1099511627776, 1099511627776) has more bytes than an address space\n"
      "   help: check the sizes");
  EXPECT_THROW(Array(DType::int64, {std::int64_t{1} << 62, 0, 8}), Error);
  EXPECT_EQ(Array(DType::int64, {std::int64_t{1} << 59, 0}).elements(), 0);
}

}  // namespace
}  // namespace hypatia
