// Checks the loops: powers, the polynomial and its slope against exact sums, and where the doubling
// stops. The reduction has to happen inside the loop.
#include "support/check.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace hypatia;

// The learner's functions.
Function power();
Function polynomial();
Function doubled();

namespace {

Array as_x(const Array& a) {
  return a.astype(config().float_x());
}

bool close(double got, long double exact, long double size) {
  const long double unit = config().float_x() == DType::float32 ? 0x1p-24L : 0x1p-53L;
  return std::fabs(got - exact) <= 64 * unit * std::max(size, 1e-30L);
}

void expect_polynomial(const std::vector<double>& coefficients, double x) {
  Array c(DType::float64, {static_cast<std::int64_t>(coefficients.size())});
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    c.data<double>()[i] = coefficients[i];
  const Array at = as_x(Array(x));
  const Results got = polynomial()(as_x(c), at);
  check::expect(got.size() == 2, "wrong-results", "the function should give a value and a slope");
  check::expect(
      got[0].rank() == 0, "wrong-shape", "the value should be one number, the last of the sums");
  const std::vector<double> values = as_x(c).to_vector();
  const long double z = at.item();
  long double value = 0, slope = 0, size = 0, slope_size = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto n = static_cast<long double>(i);
    const long double term = values[i] * std::pow(z, n);
    const long double rise = i == 0 ? 0 : values[i] * n * std::pow(z, n - 1);
    value += term;
    slope += rise;
    size += std::fabs(term);
    slope_size += std::fabs(rise);
  }
  const double v = asarray(got[0]).item(), s = asarray(got[1]).item();
  if (!close(v, value, size)) {
    check::fail(
        "wrong-value",
        "the polynomial's value is wrong at x = " + std::to_string(x),
        std::to_string(static_cast<double>(value)),
        std::to_string(v));
  }
  if (!close(s, slope, slope_size)) {
    check::fail(
        "wrong-slope",
        "the slope is wrong at x = " + std::to_string(x),
        std::to_string(static_cast<double>(slope)),
        std::to_string(s));
  }
}

void sample() {
  expect_polynomial({1, 0, 2}, 3);
}

// How often a loop over three rows and ten thousand runs.
double steps_of_two_sequences() {
  auto rows = vector("rows");
  auto [results, updates] =
      scan([](Variable row, Variable) { return row; }, {.sequences = {rows, arange(10000)}});
  const Function f = function({rows}, results[0], {.updates = updates});
  return static_cast<double>(asarray(Array(f(as_x(Array({1, 0, 2}))))).dim(0));
}

void random_polynomials() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  for (const std::int64_t terms : {std::int64_t{1}, rng.randint(2, 6), rng.randint(13, 40)}) {
    std::vector<double> coefficients = rng.randn({terms}).to_vector();
    expect_polynomial(coefficients, rng.randn({1}).to_vector()[0]);
  }
  check::measured("steps", steps_of_two_sequences());
}

bool is_loop(const Apply& node) {
  return print_name(node).find("Scan{") != std::string::npos;
}

// What adds up elements: reductions, products of matrices and vectors, cumulative sums.
bool adds_up(const Op& op) {
  return op.is_reduction() || op.is_kernel() ||
         std::holds_alternative<ProductLowering>(op.lowering);
}

void reduces_inside() {
  const Function p = polynomial();
  bool loops = false;
  for (const Apply* node : p.toposort()) {
    loops |= is_loop(*node);
    check::expect(
        !adds_up(node->op()),
        "reduction-outside",
        "the terms are added up outside the loop: " + print_name(*node));
  }
  check::expect(loops, "no-loop", "there is no loop in the graph");
}

void powers_stay() {
  const Array got = asarray(Array(power()(as_x(Array::arange(10)), 3)));
  for (std::int64_t i = 0; i < 10; ++i) {
    check::expect(
        got.at({i}) == static_cast<double>(i * i * i),
        "wrong-power",
        "power() was right at the start, and A**3 is wrong now");
  }
}

// The numbers could be cut to length behind a loop that runs to its end.
void expect_a_condition() {
  const Function f = doubled();
  bool loops = false, asks = false;
  for (const Apply* node : f.toposort()) {
    if (!is_loop(*node)) continue;
    loops = true;
    // A loop with a condition tells how many steps it took, as its last output.
    const Type& last = node->types().back();
    asks |= last.rank() == 0 && last.dtype() == DType::int64;
  }
  check::expect(loops, "no-loop", "doubled() has no loop in its graph");
  check::expect(
      asks,
      "wrong-stop",
      "the loop of doubled() does not stop by itself: its step returns no condition, .until");
}

void stops() {
  for (const double most : {45.0, 1.0, 2.0, 64.0, 1000.0}) {
    const Array got = asarray(Array(doubled()(as_x(Array(most)))));
    std::vector<double> expected{2};
    while (expected.back() <= most)
      expected.push_back(2 * expected.back());
    if (got.to_vector() == expected) continue;
    char number[40];
    std::snprintf(number, sizeof number, "%g", most);
    const Array wanted = Array::of(std::span<const double>(expected));
    check::fail(
        "wrong-stop",
        std::string("for ") + number + " the loop should stop with the first larger power",
        to_text(wanted),
        to_text(got));
  }
  const Array all = asarray(Array(doubled()(as_x(Array(HUGE_VAL)))));
  check::expect(
      all.dim(0) == 1024,
      "wrong-stop",
      "nothing is larger than infinity: the loop should end after 1024 steps, it took " +
          std::to_string(all.dim(0)));
  const Array last = asarray(Array(doubled()(as_x(Array(1000.0)))));
  expect_a_condition();
  check::measured("rows", static_cast<double>(last.dim(0)));
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"sample", sample},
          {"reduces_inside", reduces_inside},
          {"random_polynomials", random_polynomials},
          {"powers_stay", powers_stay},
          {"stops", stops},
      });
}
