// Random variables in graphs: fresh draws, repeatable seeds, the right distributions.
#include "engine/run/random_streams.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "engine/ops/random.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

TEST(RandomBits, AreThoseOfPhilox) {
  EXPECT_EQ(random_bits(0, 0, 0), 0xe169c58d6627e8d5U);
  const std::uint64_t all = ~std::uint64_t{0};
  EXPECT_EQ(random_bits(all, all, all), 0x41c83b0e408f276dU);
}

TEST(RandomStreams, DrawAnewAtEachCall) {
  RandomStreams rng(234);
  const Function f = function({}, rng.uniform({2, 2}, 0.0, 1.0, DType::float64));
  const Array first = f(), second = f();
  EXPECT_EQ(first.dims(), (Dims{2, 2}));
  EXPECT_FALSE(same_elements(first, second));
  rng.rewind();
  EXPECT_TRUE(same_elements(f(), first));
}

TEST(RandomStreams, StandStillWithoutDefaultUpdates) {
  RandomStreams rng(234);
  const Variable u = rng.normal({2, 2}, 0.0, 1.0, DType::float64);
  const Function f = function({}, u, {.no_default_updates = true});
  const Array first = f();
  EXPECT_TRUE(same_elements(f(), first));
}

TEST(RandomStreams, OneDrawReadTwiceIsOneValue) {
  RandomStreams rng(234);
  const Variable u = rng.uniform({3}, 0.0, 1.0, DType::float64);
  const Array zeros = function({}, u + u - 2 * u)();
  EXPECT_TRUE(all_close(zeros, Array({0, 0, 0})));
}

TEST(RandomStreams, SeedsAndStreamsDiffer) {
  RandomStreams a(1), b(2), again(1);
  const auto drawn = [](RandomStreams& rng) -> Array {
    return function({}, rng.uniform({5}, 0.0, 1.0, DType::float64))();
  };
  const Array first = drawn(a);
  EXPECT_FALSE(same_elements(first, drawn(b)));
  EXPECT_TRUE(same_elements(first, drawn(again)));
  EXPECT_FALSE(same_elements(first, drawn(a)));
}

TEST(RandomStreams, AreEqualWithAndWithoutRewrites) {
  for (DType dtype : {DType::float32, DType::float64}) {
    RandomStreams rng(5);
    const Variable u = rng.uniform({100}, -1.0, 1.0, dtype);
    EXPECT_EQ(u.dtype(), dtype);
    const FunctionOptions still{.no_default_updates = true};
    const FunctionOptions plain{.optimizer = "None", .no_default_updates = true};
    EXPECT_TRUE(all_close(function({}, u, still)(), function({}, u, plain)()));
  }
}

struct Moments {
  double mean = 0, deviation = 0, low = 1e9, high = -1e9;
};

Moments moments(const Array& a) {
  Moments m;
  const std::vector<double> values = a.to_vector();
  for (double v : values) {
    m.mean += v / static_cast<double>(values.size());
    m.low = std::min(m.low, v);
    m.high = std::max(m.high, v);
  }
  for (double v : values)
    m.deviation += (v - m.mean) * (v - m.mean) / static_cast<double>(values.size());
  m.deviation = std::sqrt(m.deviation);
  return m;
}

TEST(RandomStreams, HaveTheirMoments) {
  RandomStreams rng(99);
  const Moments u = moments(function({}, rng.uniform({100, 1000}, 2.0, 4.0, DType::float64))());
  EXPECT_NEAR(u.mean, 3, 0.01);
  EXPECT_NEAR(u.deviation, 2 / std::sqrt(12), 0.01);
  EXPECT_GE(u.low, 2);
  EXPECT_LT(u.high, 4);
  const Moments n = moments(function({}, rng.normal({100, 1000}, 5.0, 3.0, DType::float64))());
  EXPECT_NEAR(n.mean, 5, 0.05);
  EXPECT_NEAR(n.deviation, 3, 0.05);
  const Moments b = moments(function({}, rng.binomial({20000}, 10, 0.3))());
  EXPECT_NEAR(b.mean, 3, 0.05);
  EXPECT_NEAR(b.deviation, std::sqrt(2.1), 0.05);
  const Moments i = moments(function({}, rng.random_integers({20000}, -2, 2))());
  EXPECT_NEAR(i.mean, 0, 0.05);
  EXPECT_EQ(i.low, -2);
  EXPECT_EQ(i.high, 2);
}

TEST(RandomStreams, BinomialTakesAProbabilityForEachPlace) {
  RandomStreams rng(3);
  const Array p({0, 0.5, 1});
  const Array trials = asarray(Array(function({}, rng.binomial({3}, 10, p))()));
  EXPECT_EQ(trials.at({0}), 0);
  EXPECT_EQ(trials.at({2}), 10);
  const Array rows = asarray(Array(function({}, rng.binomial({2000, 3}, 10, p))()));
  EXPECT_EQ(rows.dims(), (Dims{2000, 3}));
  double sum = 0;
  for (std::int64_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(rows.at({i, 0}), 0);
    EXPECT_EQ(rows.at({i, 2}), 10);
    sum += rows.at({i, 1});
  }
  EXPECT_NEAR(sum / 2000, 5, 0.2);
}

TEST(RandomStreams, MultinomialCountsItsTrials) {
  RandomStreams rng(7);
  const Array p({{0.2, 0.3, 0.5}, {1, 0, 0}});
  const Array counts = function({}, rng.multinomial(2000, p))();
  EXPECT_EQ(counts.dims(), (Dims{2, 3}));
  EXPECT_NEAR(counts.at({0, 0}), 400, 80);
  EXPECT_NEAR(counts.at({0, 2}), 1000, 100);
  EXPECT_EQ(counts.at({1, 0}), 2000);
  const Array one = function({}, rng.multinomial(1, Array({0.5, 0.5})))();
  EXPECT_EQ(one.at({0}) + one.at({1}), 1);
}

TEST(RandomStreams, PermutationsAndChoicesDontRepeat) {
  RandomStreams rng(8);
  const Function f = function({}, rng.permutation(50));
  const Array a = f(), b = f();
  EXPECT_FALSE(same_elements(a, b));
  std::vector<double> sorted = a.to_vector();
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_EQ(sorted[i], static_cast<double>(i));
  std::vector<double> some = Array(function({}, rng.choice({10}, 20, false))()).to_vector();
  std::sort(some.begin(), some.end());
  EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
  EXPECT_LT(some.back(), 20);
}

TEST(RandomStreams, TakeSizesFromOtherVariables) {
  RandomStreams rng(9);
  const Variable x = matrix("x", DType::float64);
  const Variable mask = rng.binomial({x.shape(0), x.shape(1)}, 1, 0.5);
  const Array kept = function({x}, x * mask)(Array({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(kept.dims(), (Dims{2, 3}));
}

}  // namespace
}  // namespace hypatia
