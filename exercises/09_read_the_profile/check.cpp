// Checks that the program still computes the same, that what was slow is gone from its step, that
// nothing is carried to the device instead, and that it is faster than the program as it came.
#include "support/check.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hypatia;

struct Data {
  Array points, targets, directions;
};

struct Trainer {
  Shared weights;
  Function step;
};

// The learner's function.
Trainer trainer(const Data& data);

namespace {

Data draw(std::int64_t points, std::int64_t axes, std::int64_t features) {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const DType dtype = config().float_x();
  Data data;
  data.points = rng.randn({points, axes}).astype(dtype);
  data.targets = rng.randn({points}).astype(dtype);
  data.directions = rng.randn({axes, features}).astype(dtype);
  return data;
}

// The training in plain C++, in double.
struct Model {
  std::vector<double> features, targets, weights;

  explicit Model(const Data& data)
      : targets(data.targets.to_vector()),
        weights(static_cast<std::size_t>(data.directions.dim(1))) {
    const std::vector<double> x = data.points.to_vector(), d = data.directions.to_vector();
    const std::size_t axes = static_cast<std::size_t>(data.points.dim(1)), n = weights.size();
    for (std::size_t row = 0; row < targets.size(); ++row) {
      for (std::size_t f = 0; f < n; ++f) {
        double angle = 0;
        for (std::size_t a = 0; a < axes; ++a)
          angle += x[row * axes + a] * d[a * n + f];
        features.push_back(std::cos(angle));
      }
    }
  }

  double step() {
    const std::size_t n = weights.size();
    std::vector<double> slope(n);
    double cost = 0;
    for (std::size_t row = 0; row < targets.size(); ++row) {
      double error = -targets[row];
      for (std::size_t f = 0; f < n; ++f)
        error += features[row * n + f] * weights[f];
      cost += error * error / static_cast<double>(targets.size());
      for (std::size_t f = 0; f < n; ++f)
        slope[f] += 2 * error * features[row * n + f] / static_cast<double>(targets.size());
    }
    for (std::size_t f = 0; f < n; ++f)
      weights[f] -= 0.5 / static_cast<double>(n) * slope[f];
    return cost;
  }
};

double allowed() {
  return config().float_x() == DType::float32 ? 2e-4 : 1e-10;
}

void expect_close(const char* what, double got, double wanted) {
  if (std::fabs(got - wanted) <= allowed() * std::max(1.0, std::fabs(wanted))) return;
  check::fail(
      "wrong-value",
      std::string(what) + " is not what the program gave as it came",
      std::to_string(wanted),
      std::to_string(got));
}

void trains_as_before() {
  for (const auto& [points, axes, features] : {std::array{50, 7, 9}, {33, 64, 130}, {1, 1, 1}}) {
    const Data data = draw(points, axes, features);
    const Trainer made = trainer(data);
    Model model(data);
    for (int i = 0; i < 20; ++i)
      expect_close("the cost", asarray(Array(made.step())).item(), model.step());
    const std::vector<double> weights =
        check::elements_of(made.weights.get_value(), {features}, "the weights");
    for (std::size_t f = 0; f < weights.size(); ++f)
      expect_close("a weight after 20 steps", weights[f], model.weights[f]);
  }
}

void bottleneck_is_gone() {
  const Trainer made = trainer(draw(50, 7, 9));
  int products = 0;
  for (const Apply* node : made.step.toposort()) {
    const std::string name = print_name(*node);
    const bool product = std::holds_alternative<ProductLowering>(node->op().lowering);
    products += product ? 1 : 0;
    // A matrix with a row for each point: nothing of it changes.
    const bool computes = !node->op().is_view() && !node->op().is_transfer();
    check::expect(
        name.find("cos") == std::string::npos && !(computes && node->type(0).rank() >= 2),
        "still-there",
        "each step still computes what does not change from step to step: " + name);
  }
  check::measured("products", products);
}

bool is_one_number(const Type& type) {
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.broadcastable(axis)) return false;
  }
  return true;
}

void carries_nothing() {
  const Trainer made = trainer(draw(50, 7, 9));
  for (const Apply* node : made.step.toposort()) {
    // Single numbers are carried: the cost, and the number of points.
    if (!node->op().is_transfer() || is_one_number(node->type(0))) continue;
    check::fail(
        "transfers",
        "each step carries an array between the host and the device: " + print_name(*node),
        "no array is carried",
        to_text(made.step.toposort()));
  }
}

// The program as it came.
Trainer as_it_came(const Data& data) {
  const Shared x = shared(data.points, "x"), y = shared(data.targets, "y");
  const Shared directions = shared(data.directions, "directions");
  const std::int64_t count = data.directions.dim(1);
  Trainer made;
  made.weights = shared(Array::zeros(config().float_x(), {count}), "w");
  const Variable error = dot(cos(dot(x, directions)), made.weights) - y;
  const Variable cost = sqr(error).mean();
  const Variable rate = constant(Array(0.5 / static_cast<double>(count)).astype(cost.dtype()));
  made.step = function(
      {}, cost, {.updates = {{made.weights, made.weights - rate * grad(cost, made.weights)}}});
  return made;
}

double seconds_of(const Trainer& made) {
  const double begin = seconds();
  for (int i = 0; i < 5; ++i)
    asarray(Array(made.step())).item();
  return seconds() - begin;
}

void is_faster() {
  const Data data = draw(2000, 64, 512);
  const Trainer now = trainer(data), before = as_it_came(data);
  double least_now = HUGE_VAL, least_before = HUGE_VAL;
  for (int round = 0; round < 6; ++round) {  // the first ones compile
    least_now = std::min(least_now, seconds_of(now));
    least_before = std::min(least_before, seconds_of(before));
  }
  // On a GPU launches and the wait for the cost stay as they are.
  const double most = check::on_gpu() ? 0.9 : 0.75;
  check::expect(
      least_now < most * least_before,
      "not-faster",
      "a step takes " + std::to_string(least_now / least_before) +
          " of the time that it took as it came; less than " + (check::on_gpu() ? "0.9" : "0.75") +
          " is asked for");
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"trains_as_before", trains_as_before},
          {"bottleneck_is_gone", bottleneck_is_gone},
          {"carries_nothing", carries_nothing},
          {"is_faster", is_faster},
      });
}
