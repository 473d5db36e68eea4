// A multi-layer perceptron: 784 pixels, 500 hidden units, ten classes, trained on batches of 60
// images that lie on the device. It is the network whose speed the slides measured.
#include <cmath>
#include <cstdio>
#include <hypatia/hypatia.h>

#include "support/count.h"

using namespace hypatia;

constexpr std::int64_t pixels = 784, classes = 10;

// An image a row, and the class of each.
struct Data {
  Array images, labels;
};

// Each class has a shape. An image shows it light on dark or dark on light, under noise.
Data draw(RandomState& rng, const Array& shapes, std::int64_t count) {
  const Array labels = rng.randint(0, shapes.dim(0), {count});
  const Variable sign = 2 * constant(rng.randint(0, 2, {count, 1})) - 1;
  const Variable noise = constant(rng.randn({count, shapes.dim(1)}));
  const Array images = asarray(eval(sign * constant(shapes)[constant(labels)] + noise));
  return {images.astype(config().float_x()), labels};
}

struct Settings {
  std::int64_t hidden, batch;
  double rate;
};

// What is learnt, and the compiled functions: train(i) takes one step on the i-th batch and returns
// the cost before it; classify(images) gives a class for each.
struct Network {
  Shared w1, b1, w2, b2;
  Function train, classify;
};

Network make_network(const Data& data, const Settings& settings) {
  RandomState rng(7);
  const auto drawn = [&rng](const Dims& dims, double width, const char* name) {
    return shared(rng.uniform(-width, width, dims).astype(config().float_x()), name);
  };
  const std::int64_t inputs = data.images.dim(1), batch = settings.batch;
  const double rate = settings.rate;
  Network net;
  net.w1 = drawn({inputs, settings.hidden}, std::sqrt(6.0 / static_cast<double>(inputs)), "w1");
  net.b1 = drawn({settings.hidden}, 1, "b1");
  net.w2 = drawn(
      {settings.hidden, classes}, std::sqrt(1.0 / static_cast<double>(settings.hidden)), "w2");
  net.b2 = drawn({classes}, 0, "b2");
  // A row for each label, 1 at its class and 0 elsewhere.
  const Variable is_class = eq(reshape(constant(data.labels), {-1, 1}), arange(classes));
  const Shared x = shared(data.images, "x");
  const Shared y = shared(eval(is_class.astype(config().float_x())), "y");
  const Variable index = lscalar("index"), given = matrix("given");

  // The scores of images: a row an image, a column a class.
  const auto scores = [&net](const Variable& images) {
    const Variable hidden = tanh(dot(images, net.w1) + net.b1);
    return dot(hidden, net.w2) + net.b2;
  };
  const Variable images = x[slice(index * batch, (index + 1) * batch)];
  const Variable targets = y[slice(index * batch, (index + 1) * batch)];
  const Variable cost = categorical_crossentropy(softmax(scores(images)), targets).mean();
  const Vars parameters{net.w1, net.b1, net.w2, net.b2};
  const Vars slopes = grad(cost, parameters);
  std::vector<Update> updates;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    updates.push_back({parameters[i], parameters[i] - rate * slopes[i]});

  net.train = function({index}, cost, {.updates = updates, .name = "train"});
  net.classify = function({given}, argmax(scores(given), 1), {.name = "classify"});
  return net;
}

// How many of the images get another class than theirs.
int mistakes(const Network& net, const Data& data) {
  const Array got = asarray(net.classify(data.images));
  return static_cast<int>(eval(neq(constant(got), constant(data.labels)).sum()).item());
}

// Examples per second of some steps on batches of this size, to the end of their work.
double speed(const Data& data, std::int64_t batch, int steps) {
  const Network net = make_network(data, {500, batch, 0.01});
  const std::int64_t batches = data.images.dim(0) / batch;
  net.train(0);  // compiles
  net.b2.get_value();
  const double begin = seconds();
  for (int i = 0; i < steps; ++i)
    net.train(i % batches);
  net.b2.get_value();  // waits for a GPU
  return static_cast<double>(batch * steps) / (seconds() - begin);
}

int main(int count, char** words) {
  const int rounds = support::count_in(words, count, 1, 5);
  RandomState rng(22);
  const Array shapes = rng.randn({classes, pixels});
  const Data data = draw(rng, shapes, 3000), fresh = draw(rng, shapes, 1000);
  const Network net = make_network(data, {500, 60, 0.1});
  std::printf("Used the %s\n", net.train.uses_gpu() ? "gpu" : "cpu");
  const std::int64_t batches = data.images.dim(0) / 60;
  for (int round = 1; round <= rounds; ++round) {
    double sum = 0;
    for (std::int64_t i = 0; i < batches; ++i)
      sum += Array(net.train(i)).item();
    std::printf("round %d   mean cost %.4f   ", round, sum / static_cast<double>(batches));
    std::printf("%3d of 1000 fresh images wrong\n", mistakes(net, fresh));
  }
  std::printf("images a step   images a second\n");
  for (const int batch : {1, 10, 60, 600})
    std::printf("%13d   %15.0f\n", batch, speed(data, batch, batch < 60 ? 60 : 20));
  return 0;
}
