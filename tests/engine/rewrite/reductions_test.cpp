// Rules on sums: they fire, keep the value, and make the value right where it overflowed.
#include <cmath>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {
namespace {

std::string story_of(const Variable& y, const Variable& x) {
  return function({x}, y).story();
}

Array value_of(const Variable& y, const Variable& x, const Array& at, const char* optimizer) {
  return function({x}, y, {.optimizer = optimizer})(at);
}

TEST(RulesOnSums, TakeNumbersOut) {
  const Variable x = matrix("x", DType::float64);
  const Array at = RandomState(1).randn({4, 5});
  for (const Variable& y : {sum(x * 2.0, Axes(0)), sum(x * 3.0), sum(0.5 * sqr(x), Axes(1))}) {
    EXPECT_NE(story_of(y, x).find("sum_of_scaled"), std::string::npos) << pprint(y);
    EXPECT_TRUE(all_close(value_of(y, x, at, "o4"), value_of(y, x, at, "None"), 1e-12, 1e-12));
  }
}

TEST(RulesOnSums, LogOfSummedExponentialsDoesNotOverflow) {
  const Variable x = matrix("x", DType::float64);
  const Array small = RandomState(2).randn({4, 5});
  Array large = small.copy();
  for (double& v : large.span<double>())
    v += 1000;
  for (const Variable& y :
       {log(sum(exp(x))), log(sum(exp(x), Axes(1))), log(sum(exp(x), Axes(0)))}) {
    EXPECT_NE(story_of(y, x).find("log_sum_exp"), std::string::npos) << pprint(y);
    const Array expected = value_of(y, x, small, "None"), found = value_of(y, x, large, "o4");
    EXPECT_TRUE(all_close(value_of(y, x, small, "o4"), expected, 1e-12, 1e-12));
    EXPECT_TRUE(std::isinf(value_of(y, x, large, "None").to_vector()[0]));
    for (std::size_t i = 0; i < expected.to_vector().size(); ++i)
      EXPECT_NEAR(found.to_vector()[i], expected.to_vector()[i] + 1000, 1e-9);
  }
}

TEST(RulesOnSums, QuotientsOfExponentialsAreSoftmax) {
  const Variable x = matrix("x", DType::float64), e = exp(x);
  const Array small = RandomState(3).randn({4, 5});
  Array large = small.copy();
  for (double& v : large.span<double>())
    v += 1000;
  for (const Variable& y : {e / sum(e, Axes({1}, true)), e / sum(e, Axes({0}, true))}) {
    EXPECT_NE(story_of(y, x).find("softmax"), std::string::npos) << pprint(y);
    const Array expected = value_of(y, x, small, "None");
    EXPECT_TRUE(all_close(value_of(y, x, small, "o4"), expected, 1e-12, 1e-12));
    EXPECT_TRUE(std::isnan(value_of(y, x, large, "None").to_vector()[0]));
    EXPECT_TRUE(all_close(value_of(y, x, large, "o4"), expected, 1e-9, 1e-12));
  }
}

}  // namespace
}  // namespace hypatia
