// Checks the learner's ops: values and gradients in functions, on the device asked for, and every
// promise of their descriptors.
#include "support/check.h"

#include <vector>

using namespace hypatia;

// The learner's ops.
const Op& product_op();
const Op& sum_diff_op();

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

const std::vector<Dims> shapes{{5, 4}, {5, 6}, {1, 1}, {0, 3}, {33, 129}};

void product_values() {
  auto x = matrix("x");
  auto y = matrix("y");
  const Function f = function({x, y}, apply(product_op(), {x, y}), {.on_unused_input = "ignore"});
  for (const Dims& dims : shapes) {
    const Pair at = draw(dims);
    check::expect_values(
        f(at.x, at.y), dims, expected(at, [](auto a, auto b) { return a * b; }), 1);
  }
}

// How many nodes are left of a product, times 2, plus 1.
void count_nodes() {
  auto x = matrix("x");
  auto y = matrix("y");
  const Function own = function({x, y}, apply(product_op(), {x, y}) * 2 + 1);
  const Function engines = function({x, y}, x * y * 2 + 1);
  if (check::on_gpu()) return;
  check::measured("own", static_cast<double>(own.toposort().size()));
  check::measured("engines", static_cast<double>(engines.toposort().size()));
}

void product_gradient() {
  auto x = matrix("x");
  auto y = matrix("y");
  const Vars slopes = grad(apply(product_op(), {x, y}).sum(), {x, y});
  const Function f = function({x, y}, {slopes[0], slopes[1]}, {.on_unused_input = "ignore"});
  const Pair at = draw({5, 4});
  const Results r = f(at.x, at.y);
  if (!same_elements(asarray(r[0]), at.y) || !same_elements(asarray(r[1]), at.x)) {
    check::fail("wrong-gradient", "d(x*y)/dx is y, and d(x*y)/dy is x");
  }
  count_nodes();
}

void sum_and_difference() {
  auto x = matrix("x");
  auto y = matrix("y");
  const Vars both = apply_all(sum_diff_op(), {x, y});
  check::expect(both.size() == 2, "wrong-outputs", "SumDiffOp should have two outputs");
  const Function f = function({x, y}, {both[0], both[1]}, {.on_unused_input = "ignore"});
  for (const Dims& dims : shapes) {
    const Pair at = draw(dims);
    const Results r = f(at.x, at.y);
    check::expect_values(r[0], dims, expected(at, [](auto a, auto b) { return a + b; }), 1);
    check::expect_values(r[1], dims, expected(at, [](auto a, auto b) { return a - b; }), 1);
  }
}

void gradient_of_each_output() {
  const Pair at = draw({5, 6});
  const double signs[] = {1, -1};
  for (std::size_t output : {std::size_t{0}, std::size_t{1}}) {
    auto x = matrix("x");
    auto y = matrix("y");
    const Variable cost = apply_all(sum_diff_op(), {x, y})[output].sum();
    const Vars slopes = grad(cost, {x, y});
    const Results r =
        function({x, y}, {slopes[0], slopes[1]}, {.on_unused_input = "ignore"})(at.x, at.y);
    for (const double v : asarray(r[0]).to_vector())
      check::expect(v == 1, "wrong-gradient", "the gradient of an output by x is 1 everywhere");
    for (const double v : asarray(r[1]).to_vector())
      check::expect(
          v == signs[output],
          "wrong-gradient",
          "the gradient by y is 1 for the sum, and -1 for the difference");
  }
}

void runs_where_it_is_told() {
  for (const Op* op : {&product_op(), &sum_diff_op()}) {
    auto x = matrix("x");
    auto y = matrix("y");
    const Vars outputs = apply_all(*op, {x, y});
    const Function f = function({x, y}, outputs[0], {.on_unused_input = "ignore"});
    check::expect(
        f.uses_gpu() == check::on_gpu(),
        "no-kernel",
        std::string(op->name) + " does not run on " + check::device() +
            ": has it a kernel text for both dialects?");
    const Pair at = draw({3, 3});
    f(at.x, at.y);
    check::expect(
        f.source().find(std::string("/* k")) != std::string::npos,
        "no-kernel",
        std::string(op->name) + " runs by its reference evaluation: give it a kernel");
  }
}

void keeps_its_promises() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const std::vector<Array> sample{rng.randn({5, 4}), rng.randn({5, 4})};
  for (const Op* op : {&product_op(), &sum_diff_op()}) {
    const std::vector<Broken> broken = check_op(*op, {sample});
    if (!broken.empty())
      check::fail("broken-promise", std::string(op->name) + ": " + to_text(broken));
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
