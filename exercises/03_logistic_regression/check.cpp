// Checks logistic regression: the costs on the way, the end of the training, other rates, and other
// data against steps computed here by hand in long double.
#include "support/check.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace hypatia;

// As in the exercise.
struct Model {
  Shared w, b;
  Function train, predict, cost;
};

Model make_model(const Array& data, const Array& labels, const Array& weights, double rate);

namespace {

DType dtype() {
  return config().float_x();
}

bool in_float64() {
  return dtype() == DType::float64;
}

Model model_of_the_exercise(double rate) {
  RandomState rng(22);
  const Array data = rng.randn({400, 784}), labels = rng.randint(0, 2, {400});
  const Array weights = rng.randn({784});
  return make_model(data.astype(dtype()), labels.astype(dtype()), weights.astype(dtype()), rate);
}

double cost_of(const Model& model) {
  return asarray(model.cost()).item();
}

/// Matrix-vector products of the compiled function.
double products_of(const Function& f) {
  double count = 0;
  for (const Apply* node : f.toposort())
    count += class_name(*node).find("emv") != std::string::npos ? 1 : 0;
  return count;
}

void train(const Model& model, int steps) {
  for (int i = 0; i < steps; ++i)
    model.train();
}

void expect_number(const char* what, double got, double expected) {
  const double size = std::fabs(expected);
  const double allowed = in_float64() ? 1e-12 + 1e-6 * size : 1e-4 + 1e-5 * size;
  if (std::fabs(got - expected) <= allowed) return;
  char wanted[40], came[40];
  std::snprintf(wanted, sizeof wanted, "%.9g", expected);
  std::snprintf(came, sizeof came, "%.9g", got);
  check::fail("wrong-value", std::string(what) + " is wrong", wanted, came);
}

void learns() {
  const Model model = model_of_the_exercise(0.01);
  const double before = cost_of(model);
  train(model, 20);
  const double after = cost_of(model);
  check::expect(
      !std::isnan(after),
      "wrong-value",
      "the cost is nan: some probability was rounded to 0 before its logarithm was taken");
  check::expect(
      after != before,
      "no-learning",
      "after 20 steps the cost is what it was: train() changes neither w nor b");
  char costs[80];
  std::snprintf(costs, sizeof costs, "from %.6g to %.6g", before, after);
  check::expect(
      after < before,
      "no-learning",
      std::string("in 20 steps the cost rose ") + costs + ": a step goes uphill");
}

void costs_on_the_way() {
  const Model model = model_of_the_exercise(0.01);
  expect_number("the cost at step 0", cost_of(model), 17.7292514);
  train(model, 1);
  expect_number("the cost at step 1", cost_of(model), 17.7118260);
  train(model, 9);
  expect_number("the cost at step 10", cost_of(model), 17.5555653);
  train(model, 90);
  expect_number("the cost at step 100", cost_of(model), 16.0533266);
}

/// How many of 400 labels that the model has never seen it gets wrong.
int wrong_on_fresh(const Model& model) {
  RandomState rng(23);
  const std::vector<double> x = rng.randn({400, 784}).to_vector();
  const std::vector<double> labels = rng.randint(0, 2, {400}).to_vector();
  const std::vector<double> w = check::elements_of(model.w.get_value(), {784}, "w");
  int wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double z = model.b.get_value().item();
    for (std::size_t j = 0; j < w.size(); ++j)
      z += x[i * w.size() + j] * w[j];
    wrong += (z > 0 ? 1 : 0) != labels[i];
  }
  return wrong;
}

void end_of_training() {
  const Model model = model_of_the_exercise(0.01);
  train(model, 10000);
  expect_number("the cost at step 10000", cost_of(model), 0.208476967);
  expect_number("b at step 10000", model.b.get_value().item(), -0.476684825);
  const std::vector<double> predicted =
      check::elements_of(model.predict(), {400}, "what predict() returns");
  RandomState rng(22);
  rng.randn({400, 784});
  const std::vector<double> labels = rng.randint(0, 2, {400}).to_vector();
  int wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    wrong += predicted[i] != labels[i];
  check::expect(
      wrong == 0, "wrong-value", std::to_string(wrong) + " of 400 predictions are wrong, not 0");
  check::measured("fresh", wrong_on_fresh(model));
  check::measured("products", products_of(model.train));
}

void takes_the_rate() {
  const Model model = model_of_the_exercise(0.1);
  train(model, 100);
  expect_number("the cost after 100 steps of rate 0.1", cost_of(model), 6.61885387);
}

/// One step on w and b, the gradients written out.
void step_by_hand(
    const std::vector<double>& x,
    const std::vector<double>& y,
    long double rate,
    std::vector<long double>* w,
    long double* b) {
  const std::size_t rows = y.size(), columns = w->size();
  std::vector<long double> w_bar(columns, 0);
  long double b_bar = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    long double z = *b;
    for (std::size_t j = 0; j < columns; ++j)
      z += x[i * columns + j] * (*w)[j];
    const long double error = (1 / (1 + std::exp(-z)) - y[i]) / static_cast<long double>(rows);
    for (std::size_t j = 0; j < columns; ++j)
      w_bar[j] += error * x[i * columns + j];
    b_bar += error;
  }
  for (std::size_t j = 0; j < columns; ++j)
    (*w)[j] -= rate * (w_bar[j] + 0.02L * (*w)[j]);
  *b -= rate * b_bar;
}

/// The weighted sum of each row: above 0, class 1 has more than half of the probability.
std::vector<long double> sums_by_hand(
    const std::vector<double>& x, const std::vector<long double>& w, long double b) {
  std::vector<long double> sums;
  for (std::size_t row = 0; row < x.size(); row += w.size()) {
    long double z = b;
    for (std::size_t j = 0; j < w.size(); ++j)
      z += x[row + j] * w[j];
    sums.push_back(z);
  }
  return sums;
}

void expect_classes(const char* whose, const Array& got, const std::vector<long double>& sums) {
  const auto rows = static_cast<std::int64_t>(sums.size());
  const std::vector<double> classes = check::elements_of(got, {rows}, whose);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool is_one = sums[i] > 0;
    if (classes[i] == (is_one ? 1 : 0) || std::fabs(sums[i]) < 1e-4L) continue;  // rounding decides
    check::fail(
        "wrong-value",
        std::string(whose) + " of point " + std::to_string(i) +
            " is not what w and b make of it: its probability of class 1 is " +
            (is_one ? "more" : "less") + " than a half",
        is_one ? "1" : "0",
        std::to_string(static_cast<int>(classes[i])));
  }
}

void expect_entropies(
    const Array& got, const std::vector<double>& y, const std::vector<long double>& sums) {
  const auto rows = static_cast<std::int64_t>(y.size());
  const std::vector<double> xent =
      check::elements_of(got, {rows}, "the cross-entropies that train() returns");
  for (std::size_t i = 0; i < xent.size(); ++i) {
    const long double of_other = y[i] == 1 ? -sums[i] : sums[i];
    expect_number(
        "a cross-entropy that train() returns",
        xent[i],
        static_cast<double>(std::log1p(std::exp(of_other))));
  }
}

void other_data() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 3}, {33, 20}, {100, 257}}) {
    const Array data = rng.randn({rows, columns}).astype(dtype());
    const Array labels = rng.randint(0, 2, {rows}).astype(dtype());
    const Array weights = rng.randn({columns}).astype(dtype());
    const Model model = make_model(data, labels, weights, 0.05);
    const std::vector<double> start = weights.to_vector();
    std::vector<long double> w(start.begin(), start.end());
    long double b = 0;
    for (int i = 0; i < 5; ++i) {
      const std::vector<long double> before = sums_by_hand(data.to_vector(), w, b);
      step_by_hand(data.to_vector(), labels.to_vector(), 0.05L, &w, &b);
      const Results results = model.train();
      expect_classes("the prediction that train() returns", results[0], before);
      expect_entropies(results[1], labels.to_vector(), before);
    }
    const std::vector<long double> after = sums_by_hand(data.to_vector(), w, b);
    expect_classes("what predict() returns", model.predict(), after);
    const std::vector<double> got = check::elements_of(model.w.get_value(), weights.dims(), "w");
    for (std::size_t j = 0; j < w.size(); ++j)
      expect_number("an element of w after 5 steps", got[j], static_cast<double>(w[j]));
    expect_number("b after 5 steps", model.b.get_value().item(), static_cast<double>(b));
  }
}

void old_values_in_the_step() {
  // Both updates use the values from before the step, whatever order they are written in.
  const Array one = Array::ones(dtype(), {1, 1});
  const Array ones = Array::ones(dtype(), {1});
  const Model model = make_model(one, Array::zeros(dtype(), {1}), ones, 1.0);
  std::vector<long double> w{1};
  long double b = 0;
  step_by_hand({1}, {0}, 1, &w, &b);
  const Results results = model.train();
  expect_number("w", model.w.get_value().at({0}), static_cast<double>(w[0]));
  expect_number("b", model.b.get_value().item(), static_cast<double>(b));
  expect_number("the cross-entropy of the step", asarray(results[1]).at({0}), 1.31326169);
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"learns", learns},
          {"costs_on_the_way", costs_on_the_way},
          {"takes_the_rate", takes_the_rate},
          {"other_data", other_data},
          {"old_values_in_the_step", old_values_in_the_step},
          {"end_of_training", end_of_training},
      });
}
