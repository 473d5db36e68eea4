// A convolutional network: two layers of filters that see the same wherever it lies in an image,
// with pooling between them, and a layer that says which of four directions an image's stripes
// have.
#include <cmath>
#include <cstdio>
#include <hypatia/hypatia.h>

#include "support/count.h"

using namespace hypatia;

constexpr std::int64_t classes = 4;

// Images (count, 1, rows, columns), and the class of each.
struct Data {
  Array images, labels;
};

// Stripes under noise. The class is their direction: along the rows, the columns, or a diagonal.
// Where they begin is anyone's guess.
Data draw(RandomState& rng, std::int64_t count, std::int64_t side) {
  const Array labels = rng.randint(0, classes, {count}), shifts = rng.uniform(0, 6.28, {count});
  Array images = rng.normal(0, 0.7, {count, 1, side, side});
  double* pixel = images.data<double>();
  for (std::int64_t n = 0; n < count; ++n) {
    const double label = labels.at({n});
    const double down = label == 1 ? 0 : 1, right = label == 0 ? 0 : label == 3 ? -1 : 1;
    for (std::int64_t i = 0; i < side * side; ++i) {
      const std::int64_t row = i / side, column = i % side;
      const double along = down * static_cast<double>(row) + right * static_cast<double>(column);
      *pixel++ += 0.7 * std::sin(1.5 * along + shifts.at({n}));
    }
  }
  return {images.astype(config().float_x()), labels};
}

struct Settings {
  std::int64_t first, second;  // filters of the layers
  std::int64_t size, pool;     // their sides, and the windows' between the layers
  std::int64_t batch;
  double rate;
};

// What is learnt, and the compiled functions: features(images) are the numbers of an image that
// reach the last layer, train(i) takes one step on the i-th batch and returns the cost before it,
// and classify(images) gives a class for each.
struct Network {
  Shared w1, b1, w2, b2, w3, b3;
  Function features, train, classify;
};

Network make_network(const Data& data, const Settings& settings) {
  RandomState rng(7);
  const auto drawn = [&rng](const Dims& dims, std::int64_t inputs, const char* name) {
    const double width = std::sqrt(3.0 / static_cast<double>(inputs));
    return shared(rng.uniform(-width, width, dims).astype(config().float_x()), name);
  };
  const auto zeros = [](std::int64_t count, const char* name) {
    return shared(Array::zeros(config().float_x(), {count}), name);
  };
  const std::int64_t size = settings.size, batch = settings.batch;
  const double rate = settings.rate;
  Network net;
  net.w1 = drawn({settings.first, 1, size, size}, size * size, "w1");
  net.b1 = zeros(settings.first, "b1");
  net.w2 = drawn({settings.second, settings.first, size, size}, settings.first * size * size, "w2");
  net.b2 = zeros(settings.second, "b2");
  const Shared x = shared(data.images, "x");
  const Variable index = lscalar("index"), given = tensor4("given");

  // A number for each filter, beside (batch, filters, rows, columns).
  const auto each = [](const Variable& bias) { return bias.dimshuffle({-1, 0, -1, -1}); };
  // >>> edit between these marks
  // What the last layer sees of an image, as a row: so far every place of the first layer.
  const auto features = [&](const Variable& images) {
    const Variable found = conv2d(images, net.w1) + each(net.b1);
    return tanh(found).flatten(2);
  };
  const std::vector<Shared> layers{net.w1, net.b1};
  // <<< edit between these marks

  // The last layer has a weight for each feature and class; one image tells how many there are.
  net.features = function({given}, features(given), {.name = "features"});
  const std::int64_t count = asarray(Array(net.features(data.images.slice(0, 0, 1)))).dim(1);
  net.w3 = drawn({count, classes}, count, "w3");
  net.b3 = zeros(classes, "b3");
  const Variable is_class = eq(reshape(constant(data.labels), {-1, 1}), arange(classes));
  const Shared y = shared(eval(is_class.astype(config().float_x())), "y");
  const auto scores = [&](const Variable& images) {
    return dot(features(images), net.w3) + net.b3;
  };
  const Variable images = x[slice(index * batch, (index + 1) * batch)];
  const Variable targets = y[slice(index * batch, (index + 1) * batch)];
  const Variable cost = categorical_crossentropy(softmax(scores(images)), targets).mean();
  Vars parameters(layers.begin(), layers.end());
  parameters.insert(parameters.end(), {net.w3, net.b3});
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

int main(int count, char** words) {
  const int rounds = support::count_in(words, count, 1, 4);
  RandomState rng(22);
  const Data data = draw(rng, 600, 24), fresh = draw(rng, 300, 24);
  const Network net = make_network(data, {6, 8, 5, 2, 20, 0.05});
  std::printf("%s", debugprint(net.features).c_str());
  std::printf(
      "an image is %s numbers for the last layer\n", to_text(net.w3.get_value().dims()).c_str());
  const double begin = seconds();
  for (int round = 1; round <= rounds; ++round) {
    double sum = 0;
    for (int i = 0; i < 30; ++i)
      sum += Array(net.train(i)).item();
    std::printf("round %d   mean cost %.4f   ", round, sum / 30);
    std::printf("%3d of 300 fresh images wrong\n", mistakes(net, fresh));
  }
  std::printf("%.0f images a second\n", rounds * 600 / (seconds() - begin));
  return 0;
}
