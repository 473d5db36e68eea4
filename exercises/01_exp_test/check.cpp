// Checks the exp test: the graph holds the expression, the values are right to the last digits
// whatever the input, and the function follows its shared variable.
#include "support/check.h"

#include <cmath>

using namespace hypatia;

// The learner's function.
Function compile_exp(const Shared& x);

namespace {

void expect_exp_of(const Array& numbers) {
  const Shared x = shared(numbers, "x");
  const Function f = compile_exp(x);
  const Array result = f();
  check::expect(
      result.dtype() == numbers.dtype(),
      "wrong-dtype",
      "the result's dtype differs from the input's: " + std::string(name(result.dtype())));
  check::expect_values(result, numbers.dims(), check::exact_exp(numbers), check::exp_steps());
  check::expect_unchanged(x, numbers);
}

Array draws(std::int64_t count, double scale) {
  RandomState rng(static_cast<std::uint32_t>(check::seed() + count));
  Array wide = rng.randn({count});
  for (double& value : wide.span<double>())
    value *= scale;
  return wide.astype(config().float_x());
}

void values_of_the_exercise() {
  RandomState rng(22);
  const Array numbers = rng.rand({10 * 30 * 768}).astype(config().float_x());
  expect_exp_of(numbers);
  const Array result = asarray(compile_exp(shared(numbers, "x"))());
  if (result.dtype() == DType::float64) {
    check::measured("bytes", static_cast<double>(result.elements()) * sizeof(double));
  }
}

// x is shared: the function takes it from there.
void expect_no_inputs(const Function& f) {
  try {
    f();
  } catch (const Error& error) {
    check::fail(
        "wrong-inputs",
        "the function is called without inputs, as x is shared and needs none: " + error.summary());
  }
}

void graph() {
  const Function f = compile_exp(shared(draws(8, 1), "x"));
  expect_no_inputs(f);
  const std::string text = to_text(f.toposort());
  if (text.find("exp(") != std::string::npos) {  // inside of a fused node: with something else
    check::fail("wrong-value", "the graph computes more than exp(x)", "{exp,no_inplace}", text);
  }
  if (text.find("{exp,") == std::string::npos && text.find("lemwise") != std::string::npos) {
    check::fail("not-in-graph", "the graph has another op than exp", "{exp,no_inplace}", text);
  }
  if (text.find("{exp,") == std::string::npos) {
    check::fail(
        "not-in-graph",
        "the compiled function has no exp in its graph: its numbers were made before it was",
        check::on_gpu() ? "[GpuElemwise{exp,no_inplace}(...), HostFromGpu(gpuarray)(...)]"
                        : "[Elemwise{exp,no_inplace}(...)]",
        text);
  }
}

void one_exp_only() {
  const Function f = compile_exp(shared(draws(8, 1), "x"));
  const std::size_t nodes = f.toposort().size();
  const std::size_t expected = check::on_gpu() ? 2 : 1;
  check::expect(
      nodes == expected,
      "extra-nodes",
      "the graph should hold " + std::to_string(expected) + " node(s), it holds " +
          std::to_string(nodes) + ": " + to_text(f.toposort()));
  if (check::on_gpu()) check::measured("nodes_gpu", static_cast<double>(nodes));
}

void runs_where_it_is_told() {
  const Function f = compile_exp(shared(draws(8, 1), "x"));
  check::expect(
      f.uses_gpu() == check::on_gpu(),
      "wrong-device",
      "device=" + check::device() + " was asked for, and the function ran on the " +
          (f.uses_gpu() ? "gpu" : "cpu"));
}

void follows_its_variable() {
  Shared x = shared(draws(100, 1), "x");
  const Function f = compile_exp(x);
  f();
  const Array other = draws(100, 2);
  x.set_value(other);
  try {
    check::expect_values(f(), other.dims(), check::exact_exp(other), check::exp_steps());
  } catch (const Error& error) {
    check::fail("stale", error.what());
  }
  const Array third = draws(100, 3);
  const Array of_third = asarray(Array(compile_exp(shared(third, "another x"))()));
  check::expect(
      !same_elements(of_third, asarray(Array(f()))),
      "stale",
      "compile_exp() of another variable gave the function of the first once more");
  check::expect_values(of_third, third.dims(), check::exact_exp(third), check::exp_steps());
}

void wide_range() {
  expect_exp_of(draws(4099, 60));
}

void special_values() {
  const double inf = HUGE_VAL;
  expect_exp_of(
      Array(
          {0.0, -0.0, 1.0, -1.0, inf, -inf, NAN, 709.0, 710.0, -745.0, -746.0, 88.7, 88.8, -104.0})
          .astype(config().float_x()));
}

void sizes() {
  for (const std::int64_t size : {0, 1, 2, 15, 16, 17, 255, 257, 1021})
    expect_exp_of(draws(size, 3));
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"graph", graph},
          {"one_exp_only", one_exp_only},
          {"runs_where_it_is_told", runs_where_it_is_told},
          {"values_of_the_exercise", values_of_the_exercise},
          {"follows_its_variable", follows_its_variable},
          {"wide_range", wide_range},
          {"special_values", special_values},
          {"sizes", sizes},
      });
}
