// The tutorial's logistic regression: its costs step by step, for both learning rates.
#include <cmath>
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

constexpr std::int64_t samples = 400, features = 784;

struct Regression {
  Array x_data, y_data;
  Shared w, b;
  Function train, predict;

  Regression(double learning_rate, const std::string& optimizer = "") {
    RandomState random(22);
    x_data = random.randn({samples, features});
    y_data = random.randint(0, 2, Dims{samples}).astype(DType::float64);
    w = shared(random.randn({features}), "w");
    b = shared(Array(0.0), "b");
    const Variable x = matrix("x", DType::float64), y = vector("y", DType::float64);
    const Variable p_1 = 1 / (1 + exp(-dot(x, w) - b));
    const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
    const Variable cost = xent.mean() + 0.01 * sqr(w).sum();
    const Vars g = grad(cost, {w, b});
    train = function(
        {x, y},
        {cost, xent.mean()},
        {
            .updates = {{w, w - learning_rate * g[0]}, {b, b - learning_rate * g[1]}},
            .name = "train",
            .optimizer = optimizer,
        });
    predict = function({x}, p_1 > 0.5, {.name = "predict", .optimizer = optimizer});
  }

  double step() { return train(x_data, y_data)[0].item(); }

  int wrong() {
    const std::vector<double> p = Array(predict(x_data)).to_vector();
    const std::vector<double> y = y_data.to_vector();
    int count = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      count += p[i] != y[i];
    return count;
  }
};

void expect_relative(double value, double wanted, double tolerance = 1e-6) {
  EXPECT_LE(std::fabs(value - wanted), tolerance * std::fabs(wanted))
      << value << " is not " << wanted;
}

struct Golden {
  double learning_rate;
  double cost_at_0, cost_at_1, cost_at_10, cost_at_100, cost_at_1000, cost_at_10000;
  int wrong_at_1000;
  double b;
};

class LogisticRegression : public testing::TestWithParam<Golden> {};

TEST_P(LogisticRegression, ReachesTheKnownCosts) {
  const Golden& golden = GetParam();
  Regression r(golden.learning_rate);
  EXPECT_EQ(r.wrong(), 188);
  for (int i = 0; i <= 10000; ++i) {
    if (i == 1000) {
      EXPECT_EQ(r.wrong(), golden.wrong_at_1000);
    }
    if (i == 10000) {
      EXPECT_EQ(r.wrong(), 0);
      expect_relative(r.b.get_value().item(), golden.b);
    }
    const double cost = r.step();
    if (i == 0) expect_relative(cost, golden.cost_at_0);
    if (i == 1) expect_relative(cost, golden.cost_at_1);
    if (i == 10) expect_relative(cost, golden.cost_at_10);
    if (i == 100) expect_relative(cost, golden.cost_at_100);
    if (i == 1000) expect_relative(cost, golden.cost_at_1000);
    if (i == 10000) expect_relative(cost, golden.cost_at_10000);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rates,
    LogisticRegression,
    testing::Values(
        Golden{
            0.01,
            17.7292514,
            17.7118260,
            17.5555653,
            16.0533266,
            6.62676118,
            0.208476967,
            91,
            -0.476684825,
        },
        Golden{
            0.1,
            17.7292514,
            17.5552843,
            16.0505991,
            6.61885387,
            0.208135251,
            0.121793307,
            0,
            -0.447306699,
        }));

TEST(LogisticRegressionUnoptimised, IsNotANumberFromTheFirstStep) {
  Regression r(0.01, "None");
  EXPECT_TRUE(std::isnan(r.step()));
  EXPECT_TRUE(std::isnan(r.w.get_value().to_vector()[0]));
}

}  // namespace
}  // namespace hypatia
