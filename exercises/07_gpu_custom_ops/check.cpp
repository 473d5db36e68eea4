// Checks the learner's ops with kernels: values over many blocks, both outputs and their gradients,
// views read where they lie, and every promise of the descriptors.
#include "support/check.h"

#include <vector>

#include "probe.h"

using namespace hypatia;

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
void expect_output(const char* what, const Array& got, const Array& a, const Array& b, F f) {
  check::expect_values_of(what, got, a.dims(), expected(a, b, f), 0.5, {{"x", a}, {"y", b}});
}

const auto plus = [](auto a, auto b) { return a + b; };
const auto minus = [](auto a, auto b) { return a - b; };

void expect_both(const probe::Ran& ran, const Array& a, const Array& b) {
  check::expect(ran.values.size() == 2, "wrong-outputs", "SumDiffOp should have two outputs");
  expect_output("x+y", ran.values[0], a, b, plus);
  expect_output("x-y", ran.values[1], a, b, minus);
}

void expect_product(const probe::Ran& ran, const Array& a, const Array& b) {
  check::expect(ran.values.size() == 1, "wrong-outputs", "ProdOp should have one output");
  expect_output("x*y", ran.values[0], a, b, [](auto x, auto y) { return x * y; });
}

void expect_kernel(const probe::Ran& ran, int which) {
  if (!check::on_gpu()) return;  // eval does the work on the CPU
  const bool there = ran.source.find("__global__ void k") != std::string::npos;
  check::expect(
      there, "no-kernel", probe::name_of(which) + " runs by eval, on the host: give it a kernel");
}

void product_values() {
  for (const auto& [rows, columns] : {std::pair{20, 10}, {1, 1}, {10, 20}, {0, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    expect_product(probe::run_product(a, b), a, b);
  }
  expect_kernel(probe::run_product(draw({20, 10}, 0), draw({20, 10}, 1)), probe::product);
}

void more_than_a_block() {
  for (const auto& [rows, columns] : {std::pair{33, 129}, {1, 5000}, {700, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    expect_product(probe::run_product(a, b), a, b);
  }
}

void two_outputs() {
  for (const auto& [rows, columns] : {std::pair{20, 10}, {1, 1}, {33, 129}, {700, 3}, {0, 3}}) {
    const Array a = draw({rows, columns}, 0), b = draw({rows, columns}, 1);
    expect_both(probe::run_both(probe::as_it_is, probe::as_it_is, a, b), a, b);
  }
  const Array a = draw({20, 10}, 0), b = draw({20, 10}, 1);
  expect_kernel(probe::run_both(probe::as_it_is, probe::as_it_is, a, b), probe::sum_diff);
}

void gradients() {
  const Array a = draw({5, 6}, 0), b = draw({5, 6}, 1);
  const std::vector<Array> r = probe::slopes(a, b);
  check::expect(r.size() == 2, "wrong-gradient", "there should be a gradient by x and one by y");
  for (const int by : {0, 1}) {
    const std::vector<double> at = (by == 0 ? a : b).to_vector();
    const std::vector<double> got = check::elements_of(
        r[static_cast<std::size_t>(by)], a.dims(), by == 0 ? "the gradient by x" : "that by y");
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

// Both inputs as views, each input in each way at least once.
struct Look {
  const char* what;
  int x, y;
};

const Look looks[] = {
    {"x.T() and y", probe::transposed, probe::as_it_is},
    {"every second row of x, and y.T()", probe::every_second_row, probe::transposed},
    {"x with its columns from the last to the first, and every second row of y",
     probe::columns_backwards,
     probe::every_second_row},
    {"x, and y with its columns from the last to the first",
     probe::as_it_is,
     probe::columns_backwards},
};

// A matrix of which a view has 17 rows and 21 columns.
Array whole_of(int view, int which) {
  if (view == probe::transposed) return draw({21, 17}, which);
  return draw({view == probe::every_second_row ? 34 : 17, 21}, which);
}

Array seen(int view, const Array& whole) {
  if (view == probe::transposed) return whole.transpose().copy();
  if (view == probe::every_second_row) return whole.slice(0, 0, whole.dim(0), 2).copy();
  if (view == probe::columns_backwards)
    return whole.slice(1, whole.dim(1) - 1, INT64_MIN, -1).copy();
  return whole;
}

void views_as_they_lie() {
  for (const Look& look : looks) {
    const Array x = whole_of(look.x, 0), y = whole_of(look.y, 1);
    expect_both(probe::run_both(look.x, look.y, x, y), seen(look.x, x), seen(look.y, y));
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
  for (const Look& look : looks) {
    const probe::Ran ran =
        probe::run_both(look.x, look.y, whole_of(look.x, 0), whole_of(look.y, 1));
    const int count = kernels(ran.source);
    if (&look == &looks[0]) check::measured("kernels", count);
    check::expect(
        count == 1,
        "copies",
        std::string("for ") + look.what + " there should be one kernel, and there are " +
            std::to_string(count) + ": the engine copies what your kernel does not take");
  }
}

void keeps_its_promises() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  const Array a = rng.randn({20, 7}), b = rng.randn({20, 7});
  for (const int which : {probe::product, probe::sum_diff}) {
    const std::string broken = probe::broken_promises(which, a, b);
    if (!broken.empty()) check::fail("broken-promise", broken);
    check::expect(
        !probe::cuda_text(which).empty(),
        "no-kernel",
        probe::name_of(which) + " has no text in CUDA C");
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
