// Checks the learner's ops with kernels: values over many blocks, both outputs and their gradients,
// views read where they lie, and every promise of the descriptors.
#include "support/check.h"

#include <vector>

using namespace hypatia;

// The learner's ops.
const Op& product_op();
const Op& sum_diff_op();

namespace {

Array draw(const Dims& dims, int which) {
  RandomState rng(static_cast<std::uint32_t>(check::seed() * 2 + which));
  return rng.randn(dims).astype(DType::float32);
}

template <class F>
std::vector<long double> expected(const Array& a, const Array& b, F f) {
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  std::vector<long double> values;
  for (std::size_t i = 0; i < x.size(); ++i)
    values.push_back(f(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
  return values;
}

template <class F>
void expect_output(const Array& got, const Array& a, const Array& b, F f) {
  check::expect_values(got, a.dims(), expected(a, b, f), 0.5);
}

const auto plus = [](auto a, auto b) { return a + b; };
const auto minus = [](auto a, auto b) { return a - b; };

Function product_function() {
  const Variable x = fmatrix("x"), y = fmatrix("y");
  return function({x, y}, apply(product_op(), {x, y}), {.on_unused_input = "ignore"});
}

Function both_of(const Variable& x, const Variable& y, const Variable& a, const Variable& b) {
  const Vars both = apply_all(sum_diff_op(), {a, b});
  check::expect(both.size() == 2, "wrong-outputs", "SumDiffOp should have two outputs");
  return function({x, y}, {both[0], both[1]}, {.on_unused_input = "ignore"});
}

void expect_kernel(const Function& f, const Op& op) {
  if (!check::on_gpu()) return;  // eval does the work on the CPU
  const bool there = f.source().find("__global__ void k") != std::string::npos;
  check::expect(
      there, "no-kernel", std::string(op.name) + " runs by eval, on the host: give it a kernel");
}

void product_values() {
  const Function f = product_function();
  for (const auto& [rows, columns] : {std::pair{20, 10}, {1, 1}, {10, 20}, {0, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    expect_output(f(a, b), a, b, [](auto x, auto y) { return x * y; });
  }
  f(draw({20, 10}, 0), draw({20, 10}, 1));
  expect_kernel(f, product_op());
}

void more_than_a_block() {
  const Function f = product_function();
  for (const auto& [rows, columns] : {std::pair{33, 129}, {1, 5000}, {700, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    expect_output(f(a, b), a, b, [](auto x, auto y) { return x * y; });
  }
}

void two_outputs() {
  const Variable x = fmatrix("x"), y = fmatrix("y");
  const Function f = both_of(x, y, x, y);
  for (const auto& [rows, columns] : {std::pair{20, 10}, {1, 1}, {33, 129}, {700, 3}, {0, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    const Results r = f(a, b);
    expect_output(r[0], a, b, plus);
    expect_output(r[1], a, b, minus);
  }
  f(draw({20, 10}, 0), draw({20, 10}, 1));
  expect_kernel(f, sum_diff_op());
}

void gradients() {
  const Array a = draw({5, 6}, 0), b = draw({5, 6}, 1);
  const Variable x = fmatrix("x"), y = fmatrix("y");
  const Vars both = apply_all(sum_diff_op(), {x, y});
  const Variable cost = (apply(product_op(), {both[0], both[1]})).sum();  // x² - y²
  const Vars slopes = grad(cost, {x, y});
  const Results r = function({x, y}, {slopes[0], slopes[1]}, {.on_unused_input = "ignore"})(a, b);
  for (const int by : {0, 1}) {
    const std::vector<double> at = (by == 0 ? a : b).to_vector();
    const std::vector<double> got = asarray(r[static_cast<std::size_t>(by)]).to_vector();
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double wanted = (by == 0 ? 2 : -2) * at[i];
      if (std::abs(got[i] - wanted) <= 1e-5) continue;
      check::fail(
          "wrong-gradient",
          "the gradient of the sum of (x+y)(x-y) is 2x by x, and -2y by y",
          std::to_string(wanted),
          std::to_string(got[i]));
    }
  }
}

struct View {
  const char* what;
  Variable (*symbol)(const Variable& x);
  Array (*value)(const Array& x);
  bool turned;
};

const View views[] = {
    {"x.T",
     [](const Variable& x) { return x.T(); },
     [](const Array& x) { return x.transpose(); },
     true},
    {"every second row",
     [](const Variable& x) { return x[slice(none, none, 2)]; },
     [](const Array& x) { return x.slice(0, 0, x.dim(0), 2); },
     false},
    {"the columns from the last to the first",
     [](const Variable& x) { return x(every, slice(none, none, -1)); },
     [](const Array& x) { return x.slice(1, x.dim(1) - 1, INT64_MIN, -1); },
     false},
};

void views_as_they_lie() {
  for (const View& view : views) {
    const Variable x = fmatrix("x"), y = fmatrix("y");
    const Function f = both_of(x, y, view.symbol(x), y);
    const Array whole = draw({34, 21}, 0);
    const Array a = view.value(whole).copy(), b = draw(a.dims(), 1);
    const Results r = f(whole, b);
    expect_output(r[0], a, b, plus);
    expect_output(r[1], a, b, minus);
  }
}

int kernels(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find("__global__", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

void without_copying() {
  if (!check::on_gpu()) return;
  for (const View& view : views) {
    const Variable x = fmatrix("x"), y = fmatrix("y");
    const Function f = both_of(x, y, view.symbol(x), y);
    const Array whole = draw({34, 21}, 0);
    f(whole, draw(view.value(whole).dims(), 1));
    const int count = kernels(f.source());
    check::expect(
        count == 1,
        "copies",
        std::string("for ") + view.what + " there should be one kernel, and there are " +
            std::to_string(count) + ": the engine copies what your kernel does not take");
  }
}

void keeps_its_promises() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const std::vector<Array> sample{rng.randn({20, 7}), rng.randn({20, 7})};
  for (const Op* op : {&product_op(), &sum_diff_op()}) {
    const std::vector<Broken> broken = check_op(*op, {sample});
    if (!broken.empty())
      check::fail("broken-promise", std::string(op->name) + ": " + to_text(broken));
    const auto& kernel = std::get<KernelLowering>(op->lowering);
    check::expect(
        !kernel.cuda_c.empty(), "no-kernel", std::string(op->name) + " has no text in CUDA C");
  }
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"product_values", product_values},
          {"more_than_a_block", more_than_a_block},
          {"two_outputs", two_outputs},
          {"gradients", gradients},
          {"views_as_they_lie", views_as_they_lie},
          {"without_copying", without_copying},
          {"keeps_its_promises", keeps_its_promises},
      });
}
