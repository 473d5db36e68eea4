// Raw kernels: CUDA C written by hand, compiled while the program runs, launched on arrays. First a
// vector of 400 numbers, then a matrix of 20 by 10, then a mistake on purpose.
#include <cmath>
#include <cstdio>
#include <hypatia/kernels.h>
#include <string>

using namespace hypatia;
using namespace hypatia::cuda;

// Returns dest = a * b for vectors of 400 float32 numbers: one block of 400 threads.
Array multiply_vectors(const Array& a, const Array& b) {
  const Module module(R"(
__global__ void multiply_them(float *dest, const float *a, const float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)");
  const KernelFunction multiply_them = module.function("multiply_them");
  Array dest = Array::zeros(a.dtype(), a.dims());
  multiply_them({1}, {400}, Out(dest), In(a), In(b));
  return dest;
}

// Returns dest = a * b for float32 matrices of any shape.
Array multiply_matrices(const Array& a, const Array& b) {
  // >>> edit between these marks
  // The vector's kernel, launched with a thread for each column. Which elements does that reach?
  const Module module(R"(
__global__ void multiply_matrices(float *dest, const float *a, const float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)");
  const KernelFunction multiply = module.function("multiply_matrices");
  Array dest = Array::zeros(a.dtype(), a.dims());
  multiply({1}, {a.dim(1)}, Out(dest), In(a), In(b));
  return dest;
  // <<< edit between these marks
}

// Returns what the engine says of a launch with more threads than a block may have.
std::string provoked_error() {
  // >>> edit between these marks
  // This launch is fine, and so nothing is said.
  const Module module("__global__ void nothing() {}");
  try {
    module.function("nothing")({1}, {32});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
  // <<< edit between these marks
}

int main(int argc, char** argv) {
  // Tools that report every error of the driver would report the one on purpose.
  const bool mistake = argc < 2 || std::string(argv[1]) != "--no-mistake";
  RandomState rng(22);
  const Array a = rng.randn({400}).astype(DType::float32);
  const Array b = rng.randn({400}).astype(DType::float32);
  const Array dest = multiply_vectors(a, b);
  std::printf(
      "%.6f %.6f %.6f ... %.6f\n", dest.at({0}), dest.at({1}), dest.at({2}), dest.at({399}));
  double worst = 0;
  for (std::int64_t i = 0; i < 400; ++i)
    worst = std::fmax(worst, std::fabs(dest.at({i}) - a.at({i}) * b.at({i})));
  std::printf("400 numbers: the largest difference from a*b is %.3g\n", worst);

  const Array m = rng.randn({20, 10}).astype(DType::float32);
  const Array n = rng.randn({20, 10}).astype(DType::float32);
  const Array product = multiply_matrices(m, n);
  worst = 0;
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j < 10; ++j)
      worst = std::fmax(worst, std::fabs(product.at({i, j}) - m.at({i, j}) * n.at({i, j})));
  }
  std::printf("20x10 matrix: the largest difference from m*n is %.3g\n", worst);
  if (!mistake) {
    std::printf("--no-mistake: the block of 2000 threads is left out\n");
    return 0;
  }
  std::printf("A block of 2000 threads:\n%s\n", provoked_error().c_str());
  return 0;
}
