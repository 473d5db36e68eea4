#include <cmath>
#include <gtest/gtest.h>

#include "engine/ops/values.h"

using namespace hypatia;

namespace {

Variable given(const Array& values) {
  return shared(values, "given");
}

TEST(Sort, IsStableWithNanLast) {
  const Variable x = given(Array({3, NAN, 1, 3, -2}));
  const Array sorted = asarray(value_of(sort(x)));
  EXPECT_EQ(sorted.at({0}), -2);
  EXPECT_EQ(sorted.at({3}), 3);
  EXPECT_TRUE(std::isnan(sorted.at({4})));
  EXPECT_EQ(list_of(argsort(x)), (List{4, 2, 0, 3, 1}));
  EXPECT_EQ(list_of(sort(given(Array({{3, 1}, {2, 4}})), 0)), (List{2, 1, 3, 4}));
  EXPECT_EQ(list_of(topk(given(Array({3, 9, 1, 7})), 2)), (List{9, 7}));
}

TEST(Sort, OfManyEqualNumbersIsStable) {
  constexpr std::int64_t n = 10'000;
  Array values(DType::float32, {n});
  for (std::int64_t i = 0; i < n; ++i)
    values.data<float>()[i] = static_cast<float>(i * 7919 % 101);
  const Variable x = given(values);
  const Array order = asarray(value_of(argsort(x * 2.0F))), sorted = asarray(value_of(sort(x)));
  for (std::int64_t i = 1; i < n; ++i) {
    const double before = sorted.at({i - 1}), here = sorted.at({i});
    ASSERT_LE(before, here) << i;
    ASSERT_TRUE(before < here || order.at({i - 1}) < order.at({i})) << i;
  }
}

TEST(Sort, GradientFollowsTheElements) {
  const Variable x = given(Array({3, 1, 2}));
  EXPECT_EQ(list_of(grad((sort(x) * given(Array({10, 20, 30}))).sum(), x)), (List{30, 10, 20}));
}

TEST(ArgMax, FirstOfTiesAndNan) {
  EXPECT_EQ(list_of(argmax(given(Array({{1, 5, 5}, {7, 0, 7}})), 1)), (List{1, 0}));
  EXPECT_EQ(list_of(argmin(given(Array({{1, 5, 5}, {7, 0, 7}})), 0)), (List{0, 1, 0}));
  EXPECT_EQ(list_of(argmax(given(Array({{1, 5}, {7, 0}})))), (List{2}));
  EXPECT_EQ(list_of(argmax(given(Array({1, NAN, 9})), 0)), (List{1}));
}

TEST(Running, SumsAndProducts) {
  const Variable x = given(Array({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(list_of(cumsum(x, 1)), (List{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(list_of(cumprod(x, 0)), (List{1, 2, 3, 4, 10, 18}));
  EXPECT_EQ(list_of(grad(cumsum(x, 1).sum(), x)), (List{3, 2, 1, 3, 2, 1}));
  const Variable y = given(Array({2, 3, 4}));
  EXPECT_EQ(list_of(grad(cumprod(y, 0).sum(), y)), (List{16, 10, 6}));
}

TEST(SearchSorted, BeforeOrAfterEqualOnes) {
  const Variable line = given(Array({1, 2, 2, 5})), values = given(Array({0, 2, 9}));
  EXPECT_EQ(list_of(searchsorted(line, values)), (List{0, 1, 4}));
  EXPECT_EQ(list_of(searchsorted(line, values, true)), (List{0, 3, 4}));
}

}  // namespace
