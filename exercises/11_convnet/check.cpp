// Checks the network against the same computed here by hand: what it finds in images, its cost,
// what a step does to each parameter, by differences, and whether it learns.
#include "support/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace hypatia;

// As in the exercise.
struct Data {
  Array images, labels;
};

struct Settings {
  std::int64_t first, second;
  std::int64_t size, pool;
  std::int64_t batch;
  double rate;
};

struct Network {
  Shared w1, b1, w2, b2, w3, b3;
  Function features, train, classify;
};

Network make_network(const Data& data, const Settings& settings);

namespace {

constexpr std::size_t classes = 4;

using Numbers = std::vector<long double>;

// Layers of an image: (channels, rows, columns).
struct Picture {
  std::size_t channels = 0, rows = 0, columns = 0;
  Numbers at;

  Picture(std::size_t c, std::size_t r, std::size_t k)
      : channels(c), rows(r), columns(k), at(c * r * k) {}

  long double& operator()(std::size_t c, std::size_t r, std::size_t k) {
    return at[(c * rows + r) * columns + k];
  }
};

Numbers numbers_of(const Array& value) {
  const std::vector<double> all = asarray(value).to_vector();
  return Numbers(all.begin(), all.end());
}

Picture picture_of(const Array& images, std::int64_t n) {
  const Array one = images.slice(0, n, n + 1).copy();
  const auto side = [&](int axis) { return static_cast<std::size_t>(one.dim(axis)); };
  Picture picture(side(1), side(2), side(3));
  picture.at = numbers_of(one);
  return picture;
}

// Filters turned by half a circle, as convolution has it.
Picture convolved(Picture from, const Numbers& w, const Numbers& b, std::size_t size) {
  Picture to(b.size(), from.rows - size + 1, from.columns - size + 1);
  for (std::size_t o = 0; o < to.channels; ++o) {
    for (std::size_t r = 0; r < to.rows; ++r) {
      for (std::size_t k = 0; k < to.columns; ++k) {
        long double sum = b[o];
        for (std::size_t i = 0; i < from.channels * size * size; ++i) {
          const std::size_t c = i / (size * size), y = i / size % size, x = i % size;
          const std::size_t tap = (size - 1 - y) * size + size - 1 - x;
          sum += from(c, r + y, k + x) * w[(o * from.channels + c) * size * size + tap];
        }
        to(o, r, k) = sum;
      }
    }
  }
  return to;
}

Picture pooled(Picture from, std::size_t window) {
  Picture to(from.channels, from.rows / window, from.columns / window);
  for (std::size_t c = 0; c < to.channels; ++c) {
    for (std::size_t r = 0; r < to.rows * window; ++r) {
      for (std::size_t k = 0; k < to.columns * window; ++k) {
        const bool begins = r % window == 0 && k % window == 0;
        long double& most = to(c, r / window, k / window);
        most = begins ? from(c, r, k) : std::max(most, from(c, r, k));
      }
    }
  }
  return to;
}

Picture bent(Picture picture) {
  for (long double& value : picture.at)
    value = std::tanh(value);
  return picture;
}

// The network in plain C++: w1, b1, w2, b2, w3, b3.
struct Hand {
  std::array<Numbers, 6> parameters;
  std::size_t size, pool;
  bool second = true;  // else the layer after the pooling is left out

  Hand(const Network& net, const Settings& settings)
      : size(static_cast<std::size_t>(settings.size)),
        pool(static_cast<std::size_t>(settings.pool)) {
    const std::int64_t first = settings.first, second = settings.second, n = settings.size;
    const std::array all{net.w1, net.b1, net.w2, net.b2, net.w3, net.b3};
    const std::array<Dims, 4> dims{
        Dims{first, 1, n, n}, Dims{first}, Dims{second, first, n, n}, Dims{second}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Array value = all[i].get_value();
      if (i < dims.size()) check::elements_of(value, dims[i], all[i].name());
      parameters[i] = numbers_of(value);
    }
  }

  Numbers features(const Picture& image) const {
    const auto& [w1, b1, w2, b2, w3, b3] = parameters;
    const Picture first = bent(pooled(convolved(image, w1, b1, size), pool));
    return second ? bent(convolved(first, w2, b2, size)).at : first.at;
  }

  Numbers scores(const Picture& image) const {
    const Numbers row = features(image);
    Numbers sums = parameters[5];
    check::expect(
        parameters[4].size() == row.size() * classes && sums.size() == classes,
        "wrong-shape",
        "w3 should have a row for each of the " + std::to_string(row.size()) +
            " features, and b3 a number for each class");
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t c = 0; c < classes; ++c)
        sums[c] += row[f] * parameters[4][f * classes + c];
    }
    return sums;
  }

  long double cost(const Data& data, std::int64_t first, std::int64_t last) const {
    long double sum = 0;
    for (std::int64_t n = first; n < last; ++n) {
      const Numbers out = scores(picture_of(data.images, n));
      long double exps = 0;
      for (const long double score : out)
        exps += std::exp(score);
      sum += std::log(exps) - out[static_cast<std::size_t>(data.labels.at({n}))];
    }
    return sum / static_cast<long double>(last - first);
  }
};

Data draw(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Array images = rng.randn({count, 1, rows, columns}).astype(config().float_x());
  return {images, rng.randint(0, static_cast<std::int64_t>(classes), {count})};
}

bool wide() {
  return config().float_x() == DType::float64;
}

void expect_close(
    const std::string& what,
    double got,
    long double wanted,
    long double allowed = wide() ? 1e-9L : 2e-4L) {
  const long double scale = std::max<long double>(1, std::fabs(wanted));
  if (std::fabs(static_cast<long double>(got) - wanted) <= allowed * scale) return;
  check::fail(
      "wrong-value",
      what + " is wrong",
      std::to_string(static_cast<double>(wanted)),
      std::to_string(got));
}

Array features_of(const Network& net, const Array& images) {
  return asarray(Array(net.features(images)));
}

// How many numbers an image has after the layers tells which of them are there.
void expect_layers(const Array& got, std::int64_t images, Hand hand, const Picture& image) {
  const auto wanted = static_cast<std::int64_t>(hand.features(image).size());
  hand.second = false;
  const auto first = static_cast<std::int64_t>(hand.features(image).size());
  hand.pool = 1;
  const auto unpooled = static_cast<std::int64_t>(hand.features(image).size());
  hand.second = true;
  const auto both_unpooled = static_cast<std::int64_t>(hand.features(image).size());
  const std::int64_t count = got.rank() == 2 ? got.dim(1) : -1;
  check::expect(
      count == wanted || (count != first && count != unpooled),
      "one-layer",
      "an image comes out as " + std::to_string(count) + " numbers, those of the first layer" +
          (count == first ? "" : " before pooling") + ": the second layer is missing");
  check::expect(
      count == wanted || count != both_unpooled,
      "no-pooling",
      "an image comes out as " + std::to_string(count) +
          " numbers, as if nothing were pooled between the layers");
  if (got.dims() == Dims{images, wanted}) return;
  check::fail(
      "wrong-shape",
      "the features of " + std::to_string(images) + " images have the wrong dims",
      to_text(Dims{images, wanted}),
      to_text(got.dims()));
}

void finds_features() {
  for (const Settings settings : {Settings{2, 3, 3, 2, 4, 0.1}, {3, 2, 2, 3, 4, 0.1}}) {
    const Data data = draw(4, 15, 18);  // the windows leave rows and columns over
    const Network net = make_network(data, settings);
    const auto numbered = [](const Shared& bias, double step) {
      const Variable numbers = arange(bias.get_value().dim(0)) * step;
      bias.set_value(eval(numbers).astype(config().float_x()));
    };
    numbered(net.b1, 0.5);
    numbered(net.b2, -0.25);
    const Hand hand(net, settings);
    const Array got = features_of(net, data.images);
    expect_layers(got, 4, hand, picture_of(data.images, 0));
    for (std::int64_t n = 0; n < 4; ++n) {
      const Numbers wanted = hand.features(picture_of(data.images, n));
      for (std::size_t f = 0; f < wanted.size(); ++f) {
        const double number = got.at({n, static_cast<std::int64_t>(f)});
        expect_close("a feature of an image", number, wanted[f]);
      }
    }
  }
}

void costs() {
  const Settings settings{3, 2, 3, 2, 4, 0};
  const Data data = draw(10, 12, 12);
  const Network net = make_network(data, settings);
  const Hand hand(net, settings);
  for (const std::int64_t i : {2, 0, 1}) {  // the last batch holds 2 images
    const double got = asarray(Array(net.train(i))).item();
    const std::int64_t last = std::min<std::int64_t>(4 * i + 4, 10);
    expect_close("the mean cost of batch " + std::to_string(i), got, hand.cost(data, 4 * i, last));
  }
}

// A step is the rate times the gradient: compared with differences of the batch's cost.
void every_layer_learns() {
  constexpr double rate = 0.25;
  const Settings settings{2, 3, 3, 2, 5, rate};
  const Data data = draw(10, 12, 11);
  const Network net = make_network(data, settings);
  Hand hand(net, settings);
  const Hand before = hand;
  net.train(1);
  const Hand after(net, settings);
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const std::array names{"w1", "b1", "w2", "b2", "w3", "b3"};
  for (std::size_t p = 0; p < names.size(); ++p) {
    check::expect(
        after.parameters[p].size() == before.parameters[p].size(),
        "wrong-shape",
        std::string(names[p]) + " has other dims after a step");
    check::expect(
        after.parameters[p] != before.parameters[p],
        "no-learning",
        std::string(names[p]) + " is what it was: the step does not change it");
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(
          rng.randint(0, static_cast<std::int64_t>(before.parameters[p].size())));
      const long double h = 1e-6L;
      hand.parameters[p][at] += h;
      const long double above = hand.cost(data, 5, 10);
      hand.parameters[p][at] -= 2 * h;
      const long double below = hand.cost(data, 5, 10);
      hand.parameters[p][at] += h;
      const auto step = static_cast<double>(before.parameters[p][at] - after.parameters[p][at]);
      expect_close(
          std::string("the step of an element of ") + names[p],
          step,
          rate * (above - below) / (2 * h),
          wide() ? 1e-7L : 5e-4L);
    }
  }
}

void expect_classes(const Network& net, const Settings& settings, const Data& data) {
  const Hand hand(net, settings);
  const std::vector<double> got =
      check::elements_of(net.classify(data.images), data.labels.dims(), "what classify() returns");
  for (std::size_t n = 0; n < got.size(); ++n) {
    const Numbers scores = hand.scores(picture_of(data.images, static_cast<std::int64_t>(n)));
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    expect_close("the class of an image", got[n], static_cast<long double>(best));
  }
}

// The class of an image is the one with the largest score, the numbers of b3 counted in.
void classifies() {
  const Settings settings{2, 3, 3, 2, 5, 0.25};
  const Data data = draw(10, 12, 11);
  const Network net = make_network(data, settings);
  net.train(1);
  for (const double more : {0.0, 4.0}) {
    net.b3.set_value(Array({more, -more, more / 2, -more / 2}).astype(config().float_x()));
    expect_classes(net, settings, data);
  }
}

// Moved by a pooling window, an image has its features moved by one place.
void does_not_mind_where() {
  const Settings settings{3, 2, 3, 2, 1, 0};
  const Data data = draw(1, 16, 16);
  const Network net = make_network(data, settings);
  const auto part = [&](std::int64_t at) {
    const Array images = data.images.slice(2, at, at + 12).slice(3, at, at + 12).copy();
    return features_of(net, images).reshape({2, 3, 3});
  };
  const Array here = part(0), there = part(2);
  for (const std::int64_t filter : {0, 1}) {
    for (const std::int64_t place : {0, 1}) {
      expect_close(
          "a feature of an image that was moved",
          there.at({filter, place, place}),
          static_cast<long double>(here.at({filter, place + 1, place + 1})));
    }
  }
}

// The exercise's problem, smaller: the direction of stripes.
Data stripes(RandomState& rng, std::int64_t count, std::int64_t side) {
  const Array labels = rng.randint(0, 4, {count}), shifts = rng.uniform(0, 6.28, {count});
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

void learns() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Data data = stripes(rng, 300, 16), fresh = stripes(rng, 100, 16);
  const Network net = make_network(data, {6, 8, 5, 2, 20, 0.4});
  for (int i = 0; i < 75; ++i)
    net.train(i % 15);
  const std::vector<double> got = check::elements_of(
      net.classify(fresh.images), fresh.labels.dims(), "what classify() returns");
  const std::vector<double> labels = fresh.labels.to_vector();
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += got[i] == labels[i] ? 0 : 1;
  check::expect(
      wrong < 25,
      "no-learning",
      "after 5 rounds " + std::to_string(wrong) +
          " of 100 fresh images are wrong; less than 25 are asked for");
}

// The program's own network for larger images, for the questions.
void measures() {
  const Data data = draw(1, 28, 28);
  const Network net = make_network(data, {6, 8, 5, 2, 1, 0});
  double filters = 0;
  for (const Shared& parameter : {net.w1, net.b1, net.w2, net.b2})
    filters += static_cast<double>(parameter.get_value().elements());
  check::measured("filters", filters);
  check::measured("features", static_cast<double>(features_of(net, data.images).elements()));
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"finds_features", finds_features},
          {"costs", costs},
          {"every_layer_learns", every_layer_learns},
          {"classifies", classifies},
          {"does_not_mind_where", does_not_mind_where},
          {"learns", learns},
          {"measures", measures},
      });
}
