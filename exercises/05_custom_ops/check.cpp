// Checks the learner's ops: values and gradients in functions, on the device asked for, and every
// promise of their descriptors.
#include "support/check.h"

#include <vector>

#include "probe.h"

using namespace hypatia;

namespace {

struct Pair {
  Array x, y;
};

Pair draw(const Dims& dims) {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const DType dtype = config().float_x();
  const Array x = rng.randn(dims), y = rng.randn(dims);
  return {x.astype(dtype), y.astype(dtype)};
}

template <class F>
std::vector<long double> expected(const Pair& at, F f) {
  const std::vector<double> x = at.x.to_vector(), y = at.y.to_vector();
  std::vector<long double> values;
  for (std::size_t i = 0; i < x.size(); ++i)
    values.push_back(f(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
  return values;
}

template <class F>
void expect_output(const char* what, const Array& got, const Pair& at, F f) {
  check::expect_values_of(what, got, at.x.dims(), expected(at, f), 1, {{"x", at.x}, {"y", at.y}});
}

const std::vector<Dims> shapes{{5, 4}, {5, 6}, {1, 1}, {0, 3}, {33, 129}};

void product_values() {
  for (const Dims& dims : shapes) {
    const Pair at = draw(dims);
    const probe::Ran ran = probe::run_op(probe::product, at.x, at.y);
    check::expect(ran.values.size() == 1, "wrong-outputs", "ProdOp should have one output");
    expect_output("x*y", ran.values[0], at, [](auto a, auto b) { return a * b; });
  }
}

// How many nodes are left of a product, times 2, plus 1.
void count_nodes() {
  if (check::on_gpu()) return;
  auto x = matrix("x");
  auto y = matrix("y");
  const Function engines = function({x, y}, x * y * 2 + 1);
  check::measured("own", static_cast<double>(probe::nodes_around(probe::product)));
  check::measured("engines", static_cast<double>(engines.toposort().size()));
}

void product_gradient() {
  const Pair at = draw({5, 4});
  const std::vector<Array> slopes = probe::slopes_of(probe::product, 0, at.x, at.y);
  if (!same_elements(asarray(slopes.at(0)), at.y) || !same_elements(asarray(slopes.at(1)), at.x)) {
    check::fail("wrong-gradient", "d(x*y)/dx is y, and d(x*y)/dy is x");
  }
  count_nodes();
}

void sum_and_difference() {
  for (const Dims& dims : shapes) {
    const Pair at = draw(dims);
    const probe::Ran ran = probe::run_op(probe::sum_diff, at.x, at.y);
    check::expect(ran.values.size() == 2, "wrong-outputs", "SumDiffOp should have two outputs");
    expect_output("x+y", ran.values[0], at, [](auto a, auto b) { return a + b; });
    expect_output("x-y", ran.values[1], at, [](auto a, auto b) { return a - b; });
  }
}

void gradient_of_each_output() {
  const Pair at = draw({5, 6});
  const double signs[] = {1, -1};
  for (const int output : {0, 1}) {
    const std::vector<Array> slopes = probe::slopes_of(probe::sum_diff, output, at.x, at.y);
    for (const double v : check::elements_of(slopes.at(0), {5, 6}, "the gradient by x"))
      check::expect(v == 1, "wrong-gradient", "the gradient of an output by x is 1 everywhere");
    for (const double v : check::elements_of(slopes.at(1), {5, 6}, "the gradient by y"))
      check::expect(
          v == signs[output],
          "wrong-gradient",
          "the gradient by y is 1 for the sum, and -1 for the difference");
  }
}

void runs_where_it_is_told() {
  for (const int which : {probe::product, probe::sum_diff}) {
    const Pair at = draw({3, 3});
    const probe::Ran ran = probe::run_op(which, at.x, at.y);
    check::expect(
        ran.is_kernel != 0 || ran.source.find("/* k") == std::string::npos,
        "no-kernel",
        ran.name + " is an op of the engine's: write a kernel text of your own, in .lowering");
    check::expect(
        (ran.on_gpu != 0) == check::on_gpu(),
        "no-kernel",
        ran.name + " does not run on " + check::device() +
            ": has it a kernel text for both dialects?");
    check::expect(
        ran.is_kernel != 0 && ran.source.find("/* k") != std::string::npos,
        "no-kernel",
        ran.name + " runs by its reference evaluation: give it a kernel");
  }
}

void keeps_its_promises() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Array a = rng.randn({5, 4}), b = rng.randn({5, 4});
  for (const int which : {probe::product, probe::sum_diff}) {
    const std::string broken = probe::broken_promises(which, a, b);
    if (!broken.empty()) check::fail("broken-promise", broken);
  }
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"product_values", product_values},
          {"product_gradient", product_gradient},
          {"sum_and_difference", sum_and_difference},
          {"gradient_of_each_output", gradient_of_each_output},
          {"runs_where_it_is_told", runs_where_it_is_told},
          {"keeps_its_promises", keeps_its_promises},
      });
}
