// Checks the square of a sum: the sample, random vectors against exact sums, and the function's
// form.
#include "support/check.h"

#include <cmath>
#include <vector>

using namespace hypatia;

// The learner's function.
Function square_of_sum();

namespace {

Array call(const Array& a, const Array& b) {
  return square_of_sum()(a.astype(config().float_x()), b.astype(config().float_x()));
}

// Within a few roundings of each term: where terms cancel, the sum's own last digits mean nothing.
void expect_squares(const Array& a, const Array& b) {
  const Array x = a.astype(config().float_x()), y = b.astype(config().float_x());
  const Array got = asarray(square_of_sum()(x, y));
  check::expect(
      got.dims() == x.dims(), "wrong-shape", "the result should be as long as the inputs");
  const std::vector<double> u = x.to_vector(), v = y.to_vector(), values = got.to_vector();
  const long double unit = config().float_x() == DType::float32 ? 0x1p-24L : 0x1p-53L;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double p = u[i], q = v[i];
    const long double exact = p * p + q * q + 2 * p * q;
    const long double allowed = 6 * unit * (p * p + q * q + 2 * std::fabs(p * q));
    if (std::fabs(values[i] - exact) <= allowed) continue;
    check::fail(
        "wrong-value",
        "element " + std::to_string(i) + " is wrong for a = " + std::to_string(u[i]) +
            ", b = " + std::to_string(v[i]),
        std::to_string(static_cast<double>(exact)),
        std::to_string(values[i]));
  }
}

void sample() {
  const Array got = asarray(call(Array({1, 2}), Array({4, 5})));
  const std::vector<double> values = got.to_vector();
  if (values != std::vector<double>{25, 49}) {
    check::fail("wrong-value", "g([1, 2], [4, 5]) is wrong", "[25. 49.]", to_text(got));
  }
}

void two_vectors() {
  const Function g = square_of_sum();
  const Array one = Array({1, 2}).astype(config().float_x());
  try {
    g(one);
  } catch (const Error&) {
    return;
  }
  check::fail("wrong-inputs", "the function should take two vectors; it ran with one");
}

void opposite_signs() {
  expect_squares(Array({3, -3, 0, 0, 1e3}), Array({-3, -3, 0, 7, -999}));
}

void random_vectors() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  for (const std::int64_t size : {0, 1, 7, 1000, 4099})
    expect_squares(rng.randn({size}), rng.randn({size}));
  check::measured(
      check::on_gpu() ? "nodes_gpu" : "nodes",
      static_cast<double>(square_of_sum().toposort().size()));
}

void takes_any_length() {
  const Function g = square_of_sum();
  const auto ones = [](std::int64_t n) { return Array::ones(config().float_x(), {n}); };
  check::expect(Array(g(ones(3), ones(3))).dim(0) == 3, "wrong-shape", "3 numbers in, 3 out");
  check::expect(Array(g(ones(5), ones(5))).dim(0) == 5, "wrong-shape", "5 numbers in, 5 out");
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"sample", sample},
          {"two_vectors", two_vectors},
          {"opposite_signs", opposite_signs},
          {"random_vectors", random_vectors},
          {"takes_any_length", takes_any_length},
      });
}
