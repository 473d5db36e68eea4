// Logistic regression: a model learns to tell two classes of random points apart. The same program
// runs on the CPU and on a GPU; HYPATIA_FLAGS=device=... says where, floatX=float32 in which
// precision.
#include <cstdio>
#include <hypatia/hypatia.h>

#include "support/count.h"

using namespace hypatia;

constexpr int features = 784;

// What is learnt, and the compiled functions: train() takes one step and returns the predictions
// and the cross-entropies before it, predict() and cost() only look.
struct Model {
  Shared w, b;
  Function train, predict, cost;
};

Model make_model(const Array& data, const Array& labels, const Array& weights, double rate) {
  Model model;
  model.w = shared(weights, "w");
  model.b = shared(Array(0.0).astype(config().float_x()), "b");
  const Shared x = shared(data, "x"), y = shared(labels, "y");

  const Variable p_1 = 1 / (1 + exp(-dot(x, model.w) - model.b));  // probability of class 1
  const Variable prediction = p_1 > 0.5;
  const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  const Variable cost = xent.mean() + 0.01 * sqr(model.w).sum();
  const Vars gradient = grad(cost, {model.w, model.b});
  const std::vector<Update> updates{
      {model.w, model.w - rate * gradient[0]},
      {model.b, model.b - rate * gradient[1]},
  };

  model.train = function({}, {prediction, xent}, {.updates = updates, .name = "train"});
  model.predict = function({}, prediction, {.name = "predict"});
  model.cost = function({}, cost, {.name = "cost"});
  return model;
}

int main(int count, char** words) {
  const int points = support::count_in(words, count, 1, 400);
  const int training_steps = support::count_in(words, count, 2, 10000);
  const DType dtype = config().float_x();
  RandomState rng(22);
  const Array data = rng.randn({points, features}).astype(dtype);
  const Array labels = rng.randint(0, 2, {points}).astype(dtype);
  const Array weights = rng.randn({features}).astype(dtype);
  const Model model = make_model(data, labels, weights, 0.01);

  std::printf("%s", debugprint(model.train).c_str());
  std::printf("Used the %s\n", model.train.uses_gpu() ? "gpu" : "cpu");
  const double begin = seconds();
  for (int step = 0; step <= training_steps; ++step) {
    const bool shown = step <= 1 || step == 10 || step == 100 || step == 1000 || step == 10000;
    if (shown) std::printf("step %5d   cost %.9g\n", step, Array(model.cost()).item());
    if (step < training_steps) model.train();
  }
  model.b.get_value();  // waits for a GPU
  std::printf("Training took %f seconds\n", seconds() - begin);
  std::printf("b is %.9g\n", model.b.get_value().item());
  std::printf("target values for D\n%s\n", to_text(labels.astype(DType::int8)).c_str());
  const Array predicted = asarray(model.predict());
  std::printf("prediction on D\n%s\n", to_text(predicted.astype(DType::int8)).c_str());
  const Array wrong = eval(neq(constant(predicted), constant(labels)).sum());
  std::printf("%g of %d are wrong\n", wrong.item(), points);
  return 0;
}
