// Checks the network against the same computed here by hand: its cost, the batch that a step sees,
// what a step does to each parameter, where its values lie, and whether it learns.
#include "support/check.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace hypatia;

// As in the exercise.
struct Data {
  Array images, labels;
};

struct Settings {
  std::int64_t hidden, batch;
  double rate;
};

struct Network {
  Shared w1, b1, w2, b2;
  Function train, classify;
};

Network make_network(const Data& data, const Settings& settings);

namespace {

constexpr std::size_t classes = 10;

using Numbers = std::vector<long double>;

Numbers numbers_of(const Array& value) {
  const std::vector<double> all = asarray(value).to_vector();
  return Numbers(all.begin(), all.end());
}

// A parameter of the dims that the exercise gives it.
Numbers numbers_of(const Shared& parameter, const Dims& dims) {
  const std::vector<double> all = check::elements_of(parameter.get_value(), dims, parameter.name());
  return Numbers(all.begin(), all.end());
}

// The network in plain C++. With `linear` its hidden layer is the sum itself, without tanh.
struct Hand {
  Numbers w1, b1, w2, b2;
  bool linear = false;

  Hand(const Network& net, std::int64_t pixels, std::int64_t hidden)
      : w1(numbers_of(net.w1, {pixels, hidden})),
        b1(numbers_of(net.b1, {hidden})),
        w2(numbers_of(net.w2, {hidden, static_cast<std::int64_t>(classes)})),
        b2(numbers_of(net.b2, {static_cast<std::int64_t>(classes)})) {}

  Numbers hidden(const Numbers& images, std::size_t row) const {
    Numbers sums = b1;
    const std::size_t pixels = w1.size() / b1.size();
    for (std::size_t p = 0; p < pixels; ++p) {
      for (std::size_t h = 0; h < sums.size(); ++h)
        sums[h] += images[row * pixels + p] * w1[p * sums.size() + h];
    }
    for (long double& sum : sums)
      sum = linear ? sum : std::tanh(sum);
    return sums;
  }

  Numbers scores(const Numbers& hidden_units) const {
    Numbers sums = b2;
    for (std::size_t h = 0; h < hidden_units.size(); ++h) {
      for (std::size_t c = 0; c < classes; ++c)
        sums[c] += hidden_units[h] * w2[h * classes + c];
    }
    return sums;
  }

  // Rows first … last-1: the mean cost, and a step against its gradient.
  long double step(const Data& data, std::size_t first, std::size_t last, long double rate) {
    const Numbers images = numbers_of(data.images), labels = numbers_of(data.labels);
    const Hand before = *this;
    const std::size_t pixels = w1.size() / b1.size();
    const long double share = rate / static_cast<long double>(last - first);
    long double cost = 0;
    for (std::size_t row = first; row < last; ++row) {
      const Numbers units = before.hidden(images, row), out = before.scores(units);
      const auto label = static_cast<std::size_t>(labels[row]);
      const long double most = *std::max_element(out.begin(), out.end());
      long double sum = 0;
      for (const long double score : out)
        sum += std::exp(score - most);
      cost += most + std::log(sum) - out[label];
      Numbers back(units.size());
      for (std::size_t c = 0; c < classes; ++c) {
        const long double slope = std::exp(out[c] - most) / sum - (c == label ? 1 : 0);
        b2[c] -= share * slope;
        for (std::size_t h = 0; h < units.size(); ++h) {
          back[h] += slope * before.w2[h * classes + c];
          w2[h * classes + c] -= share * slope * units[h];
        }
      }
      for (std::size_t h = 0; h < units.size(); ++h) {
        const long double slope = back[h] * (linear ? 1 : 1 - units[h] * units[h]);
        b1[h] -= share * slope;
        for (std::size_t p = 0; p < pixels; ++p)
          w1[p * units.size() + h] -= share * slope * images[row * pixels + p];
      }
    }
    return cost / static_cast<long double>(last - first);
  }
};

Data draw(std::int64_t count, std::int64_t pixels, double width = 1) {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Array images = rng.normal(0, width, {count, pixels}).astype(config().float_x());
  return {images, rng.randint(0, static_cast<std::int64_t>(classes), {count})};
}

bool close(double got, long double wanted) {
  const bool wide = config().float_x() == DType::float64;
  const double scale = std::max(1.0, std::fabs(static_cast<double>(wanted)));
  return std::fabs(got - static_cast<double>(wanted)) <= (wide ? 1e-9 : 2e-4) * scale;
}

void expect_close(const std::string& what, double got, long double wanted) {
  if (close(got, wanted)) return;
  check::fail(
      "wrong-value",
      what + " is wrong",
      std::to_string(static_cast<double>(wanted)),
      std::to_string(got));
}

double cost_of(const Network& net, std::int64_t batch) {
  return asarray(Array(net.train(batch))).item();
}

void hidden_layer() {
  const Data data = draw(3, 12);
  const Network net = make_network(data, {6, 1, 0});
  for (std::size_t i = 0; i < 3; ++i) {
    Hand right(net, 12, 6), linear(net, 12, 6);
    linear.linear = true;
    const double got = cost_of(net, static_cast<std::int64_t>(i));
    check::expect(
        !std::isnan(got),
        "wrong-batch",
        "the cost of a batch of one image is nan, as the mean of no images is: has it a row?");
    check::expect(
        !close(got, linear.step(data, i, i + 1, 0)),
        "linear",
        "the cost is that of a network whose hidden layer is a sum of pixels and nothing more");
    expect_close("the cost of one image", got, right.step(data, i, i + 1, 0));
  }
}

void whole_batches() {
  const Data data = draw(19, 9);
  const Network net = make_network(data, {5, 7, 0});
  Hand hand(net, 9, 5);
  for (const std::size_t i : {2U, 0U, 1U}) {  // the last batch holds 5 images
    const double got = cost_of(net, static_cast<std::int64_t>(i));
    check::expect(
        !close(got, hand.step(data, 7 * i, 7 * i + 1, 0)),
        "wrong-batch",
        "the cost is that of the first image of the batch alone");
    const std::size_t last = std::min<std::size_t>(7 * i + 7, 19);
    expect_close(
        "the mean cost of batch " + std::to_string(i), got, hand.step(data, 7 * i, last, 0));
  }
}

void expect_parameter(
    const char* name, const Shared& parameter, const Numbers& wanted, const Array& before) {
  const Array now = asarray(parameter.get_value());
  check::expect(
      !same_elements(now, before),
      "no-learning",
      std::string(name) + " is what it was: the step does not change it");
  const std::vector<double> got = check::elements_of(now, before.dims(), name);
  for (std::size_t i = 0; i < got.size(); ++i)
    expect_close(std::string("an element of ") + name + " after the steps", got[i], wanted[i]);
}

void expect_steps(const Data& data, const Settings& settings, int steps) {
  const Network net = make_network(data, settings);
  Hand hand(net, data.images.dim(1), settings.hidden);
  const Array w1 = net.w1.get_value(), b1 = net.b1.get_value();
  const Array w2 = net.w2.get_value(), b2 = net.b2.get_value();
  const auto count = static_cast<std::size_t>(data.labels.dim(0));
  const auto batch = static_cast<std::size_t>(settings.batch);
  const std::size_t batches = (count + batch - 1) / batch;
  const auto rate = static_cast<long double>(settings.rate);
  for (int i = 0; i < steps; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) % batches;
    const long double wanted =
        hand.step(data, at * batch, std::min(at * batch + batch, count), rate);
    expect_close("the cost of a step", cost_of(net, static_cast<std::int64_t>(at)), wanted);
  }
  expect_parameter("w2", net.w2, hand.w2, w2);
  expect_parameter("b2", net.b2, hand.b2, b2);
  expect_parameter("w1", net.w1, hand.w1, w1);
  expect_parameter("b1", net.b1, hand.b1, b1);
}

void every_layer_learns() {
  expect_steps(draw(8, 11), {6, 4, 0.5}, 1);
}

void other_sizes() {
  expect_steps(draw(1, 1), {1, 1, 0.1}, 4);
  expect_steps(draw(37, 20), {33, 8, 0.2}, 9);
}

// Scores so far apart that a probability rounds to 0: its logarithm is still a number.
void far_scores() {
  const Data data = draw(9, 8, 100);
  Network net = make_network(data, {50, 9, 0});
  net.w2.set_value(eval(1000 * constant(asarray(net.w2.get_value()))));
  Hand hand(net, 8, 50);
  expect_close("the cost of scores in the hundreds", cost_of(net, 0), hand.step(data, 0, 9, 0));
}

void classifies() {
  const Data data = draw(97, 10);
  const Network net = make_network(data, {7, 5, 0.5});
  cost_of(net, 1);
  const Hand hand(net, 10, 7);
  const Numbers images = numbers_of(data.images);
  const std::vector<double> got =
      check::elements_of(net.classify(data.images), {97}, "what classify() returns");
  for (std::size_t row = 0; row < got.size(); ++row) {
    const Numbers scores = hand.scores(hand.hidden(images, row));
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    expect_close("the class of an image", got[row], static_cast<long double>(best));
  }
}

bool is_one_number(const Type& type) {
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.broadcastable(axis)) return false;
  }
  return true;
}

void carries_nothing() {
  const Network net = make_network(draw(20, 12), {6, 10, 0.1});
  int products = 0;
  for (const Apply* node : net.train.toposort()) {
    products += std::holds_alternative<ProductLowering>(node->op().lowering) ? 1 : 0;
    // Single numbers are carried: the cost, and the number of images.
    if (!node->op().is_transfer() || is_one_number(node->type(0))) continue;
    check::fail(
        "transfers",
        "each step carries an array between the host and the device: " + print_name(*node),
        "no array is carried",
        to_text(net.train.toposort()));
  }
  check::measured("products", products);
}

// The exercise's problem with fewer pixels: shapes, light on dark or dark on light.
Data shapes_under_noise(RandomState& rng, const Array& shapes, std::int64_t count) {
  const Array labels = rng.randint(0, shapes.dim(0), {count});
  const Variable sign = 2 * constant(rng.randint(0, 2, {count, 1})) - 1;
  const Variable noise = constant(rng.randn({count, shapes.dim(1)}));
  const Array images = asarray(eval(sign * constant(shapes)[constant(labels)] + noise));
  return {images.astype(config().float_x()), labels};
}

int mistakes(const Array& classified, const Data& data) {
  const std::vector<double> got =
      check::elements_of(classified, data.labels.dims(), "what classify() returns");
  const std::vector<double> labels = data.labels.to_vector();
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += got[i] == labels[i] ? 0 : 1;
  return wrong;
}

// Mistakes of a network without a hidden layer after as many steps on the same batches.
int mistakes_of_a_sum(const Data& data, const Data& fresh) {
  const Shared x = shared(data.images), labels = shared(data.labels);
  const Shared w = shared(Array::zeros(config().float_x(), {data.images.dim(1), 10}));
  const Variable i = lscalar("i"), given = matrix("given");
  const Variable rows = x[slice(i * 30, (i + 1) * 30)];
  const Variable wanted = labels[slice(i * 30, (i + 1) * 30)];
  const Variable cost = crossentropy_softmax(dot(rows, w), wanted).mean();
  const Function train = function({i}, Outputs{}, {.updates = {{w, w - 0.3 * grad(cost, w)}}});
  for (int step = 0; step < 240; ++step)
    train(step % 40);
  return mistakes(function({given}, argmax(dot(given, w), 1))(fresh.images), fresh);
}

void learns() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Array shapes = rng.randn({static_cast<std::int64_t>(classes), 64});
  const Data data = shapes_under_noise(rng, shapes, 1200);
  const Data fresh = shapes_under_noise(rng, shapes, 500);
  const Network net = make_network(data, {100, 30, 0.3});
  const int before = mistakes(net.classify(fresh.images), fresh);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 40; ++i)
      net.train(i);
  }
  const int after = mistakes(net.classify(fresh.images), fresh);
  check::expect(
      after < 100,
      "no-learning",
      "after 6 rounds " + std::to_string(after) + " of 500 fresh images are wrong, after none " +
          std::to_string(before) + "; less than 100 are asked for");
  check::measured("without", mistakes_of_a_sum(data, fresh));
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"hidden_layer", hidden_layer},
          {"whole_batches", whole_batches},
          {"every_layer_learns", every_layer_learns},
          {"other_sizes", other_sizes},
          {"far_scores", far_scores},
          {"classifies", classifies},
          {"carries_nothing", carries_nothing},
          {"learns", learns},
      });
}
