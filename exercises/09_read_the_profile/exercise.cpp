// Reading a profile: a program that is right and slow. It fits a linear model to cosines of random
// directions of its data. One part of each step takes nearly all of the time.
#include <cstdio>
#include <hypatia/hypatia.h>

#include "support/count.h"

using namespace hypatia;

// Points as rows, what to predict for each, and the directions that features are made from.
struct Data {
  Array points, targets, directions;
};

Data draw(std::int64_t points, std::int64_t features) {
  RandomState rng(22);
  const std::int64_t axes = 64;
  Data data;
  data.points = rng.randn({points, axes}).astype(config().float_x());
  data.targets = rng.randn({points}).astype(config().float_x());
  data.directions = rng.randn({axes, features}).astype(config().float_x());
  return data;
}

// A model in training: `step` improves the weights once and returns the cost before it did.
struct Trainer {
  Shared weights;
  Function step;
};

Trainer trainer(const Data& data) {
  // >>> edit between these marks
  const Shared x = shared(data.points, "x"), y = shared(data.targets, "y");
  const Shared directions = shared(data.directions, "directions");
  const std::int64_t count = data.directions.dim(1);
  Trainer made;
  made.weights = shared(Array::zeros(config().float_x(), {count}), "w");

  const Variable features = cos(dot(x, directions));

  const Variable error = dot(features, made.weights) - y;
  const Variable cost = sqr(error).mean();
  const Variable rate = constant(Array(0.5 / static_cast<double>(count)).astype(cost.dtype()));
  const std::vector<Update> updates{{made.weights, made.weights - rate * grad(cost, made.weights)}};
  made.step = function({}, cost, {.updates = updates, .name = "train"});
  return made;
  // <<< edit between these marks
}

int main(int count, char** words) {
  const int steps = support::count_in(words, count, 1, 100);
  const Trainer made = trainer(draw(2000, 512));
  const double first = asarray(Array(made.step())).item();
  const double begin = seconds();
  Array cost;
  for (int i = 0; i < steps; ++i)
    cost = made.step();
  const double last = asarray(cost).item();  // waits for the steps
  const double each = (seconds() - begin) / steps;
  std::printf("cost at the start %.4f, after %d steps %.4f\n", first, steps + 1, last);
  std::printf("%.3f ms a step\n", each * 1e3);
  return 0;
}
