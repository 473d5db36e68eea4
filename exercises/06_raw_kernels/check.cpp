// Checks the raw kernels: every element of matrices of every shape, also where blocks stand over
// the edge, what lies beside them, values that tell a product from its neighbours, and the error on
// purpose.
#include "support/check.h"

#include <cmath>
#include <hypatia/kernels.h>
#include <string>
#include <vector>

#include "probe.h"

using namespace hypatia;

namespace {

// Other numbers for each shape: what a card's memory still holds is then no right answer.
Array draws(const Dims& dims, int which) {
  std::uint32_t seed = static_cast<std::uint32_t>(check::seed() * 2 + which);
  for (const std::int64_t size : dims)
    seed = seed * 1009 + static_cast<std::uint32_t>(size) + 1;
  RandomState rng(seed);
  return rng.randn(dims).astype(DType::float32);
}

std::vector<long double> products(const Array& a, const Array& b) {
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  std::vector<long double> all;
  for (std::size_t i = 0; i < x.size(); ++i)
    all.push_back(static_cast<long double>(x[i]) * y[i]);
  return all;
}

// "13 elements", "1 element".
std::string elements(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

void expect_nothing_outside(const probe::Multiplied& got, const Dims& dims) {
  if (got.outside == 0) return;
  std::string first = "number " + std::to_string(got.first);
  if (got.first < 0) {
    first += ", before its beginning";
  } else if (dims.rank() == 2) {
    first += ": row " + std::to_string(got.first / dims[1]) + ", column " +
             std::to_string(got.first % dims[1]) + ", and there are " + std::to_string(dims[0]) +
             " rows";
  }
  check::fail(
      "out-of-bounds",
      "for dims " + to_text(dims) + " your kernel writes " + elements(got.outside) + " outside " +
          got.parameter + ", though the result is right. The first is " + first +
          ". ./hypatia check 06 --race names the thread",
      "numbers 0 to " + std::to_string(got.elements - 1) + " written",
      elements(got.outside) + " more, from number " + std::to_string(got.first) + " on");
}

// The product was made by a kernel, from the two factors.
void expect_by_kernel(const std::string& function, const probe::Multiplied& got) {
  check::expect(
      got.launches > 0,
      "no-kernel",
      function + "() launched no kernel: the product is right, and was computed on the host");
  check::expect(
      got.took_both != 0,
      "no-kernel",
      function +
          "() launched a kernel, but none on the two factors: give it a and b, as In(a), In(b)");
  check::expect(
      got.took_product == 0,
      "no-kernel",
      function +
          "() gave a kernel the finished product, computed on the host: multiply in the kernel");
  check::expect(
      got.made_it != 0,
      "no-kernel",
      "what " + function + "() returned was written by none of its kernels");
}

void expect_product(int which, const Array& a, const Array& b) {
  const probe::Multiplied got = probe::multiplied(which, a, b);
  // One product, rounded once: nothing is allowed to be off.
  check::expect_values_of("a*b", got.product, a.dims(), products(a, b), 0.5, {{"a", a}, {"b", b}});
  const char* function = which == probe::vectors ? "multiply_vectors" : "multiply_matrices";
  if (a.elements() > 0) expect_by_kernel(function, got);
  expect_nothing_outside(got, a.dims());
}

void expect_matrix(const Array& a, const Array& b) {
  expect_product(probe::matrices, a, b);
}

// How many threads of blocks of 16 by 16 have nothing to do for a matrix of 20 by 10: they are
// asked.
double idle_threads() {
  const cuda::Module module(R"(
__global__ void count_idle(float *idle, int rows, int columns)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) atomicAdd(idle, 1.0f);
}
)");
  Array idle = Array::zeros(DType::float32, {1});
  const std::int64_t rows = 20, columns = 10;
  const std::int64_t wide = (columns + 15) / 16, high = (rows + 15) / 16;
  module.function("count_idle")({wide, high}, {16, 16}, cuda::InOut(idle), rows, columns);
  return idle.at({0});
}

// How many threads run beside the last of a block of 400: it is asked.
double last_warp() {
  const cuda::Module module(R"(
__global__ void count_beside(float *beside)
{
  const unsigned lanes = __activemask();
  if (threadIdx.x + 1 == blockDim.x) *beside = __popc(lanes);
}
)");
  Array beside = Array::zeros(DType::float32, {1});
  module.function("count_beside")({1}, {400}, cuda::InOut(beside));
  return beside.at({0});
}

void vector_of_400() {
  const Array a = draws({400}, 0), b = draws({400}, 1);
  expect_product(probe::vectors, a, b);
  check::measured("last_warp", last_warp());
}

void matrix_of_20_by_10() {
  expect_matrix(draws({20, 10}, 0), draws({20, 10}, 1));
  check::measured("idle", idle_threads());
}

void numbered_elements() {
  // Element i is i, times 1: an element in a wrong place shows.
  const Array numbers = Array::arange(20 * 10).astype(DType::float32).reshape({20, 10});
  expect_matrix(numbers, Array::ones(DType::float32, {20, 10}));
}

void other_shapes() {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 10}, {10, 1}, {10, 20}, {31, 33}})
    expect_matrix(draws({rows, columns}, 0), draws({rows, columns}, 1));
}

void more_than_a_block() {
  for (const auto& [rows, columns] : {std::pair{100, 101}, {1, 5000}, {5000, 1}, {257, 63}})
    expect_matrix(draws({rows, columns}, 0), draws({rows, columns}, 1));
}

void an_empty_matrix() {
  const Array none = Array::zeros(DType::float32, {0, 10});
  expect_matrix(none, none);
}

void special_values() {
  const double inf = HUGE_VAL;
  const Array a = Array({{0, -0.0, inf}, {-inf, NAN, 1e38}}).astype(DType::float32);
  const Array b = Array({{inf, 1, -1}, {2, 0, 10}}).astype(DType::float32);
  expect_matrix(a, b);
}

void error_on_purpose() {
  const probe::Provoked provoked = probe::provoked();
  const std::string& said = provoked.said;
  if (said.find("threads") == std::string::npos) {
    check::fail(
        "no-error",
        "provoked_error() should return what the engine says of a block with too many threads",
        "a message that counts the threads of the block",
        said.empty() ? "no message: the launch went through" : said);
  }
  check::expect(
      provoked.refused > 0,
      "no-error",
      "provoked_error() returned a text, and no launch was refused: launch the kernel with more "
      "threads than a block may have, and return what the error says");
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"vector_of_400", vector_of_400},
          {"matrix_of_20_by_10", matrix_of_20_by_10},
          {"numbered_elements", numbered_elements},
          {"other_shapes", other_shapes},
          {"more_than_a_block", more_than_a_block},
          {"an_empty_matrix", an_empty_matrix},
          {"special_values", special_values},
          {"error_on_purpose", error_on_purpose},
      });
}
