// Raw kernels on a GPU, simulated or real: arguments of every kind, globals, streams, events,
// options.
#include "engine/run/raw/module.h"

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

constexpr const char* multiply = R"(
__global__ void multiply_them(float *dest, const float *a, const float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)";

Array floats(std::int64_t n, double scale = 1) {
  RandomState rng(7);
  Array all = rng.randn({n});
  for (double& v : all.span<double>())
    v *= scale;
  return all.astype(DType::float32);
}

class RawModule : public OnGpus {
 protected:
  Module module_of(const char* text, const ModuleOptions& options = {}) const {
    ModuleOptions there = options;
    there.target = target_;
    return Module(text, there);
  }
};

INSTANTIATE_TEST_SUITE_P(Gpus, RawModule, testing::Values("sim", "cuda"));

TEST_P(RawModule, MultipliesAsTheTutorialDoes) {
  const KernelFunction f = module_of(multiply).function("multiply_them");
  const Array a = floats(400), b = floats(400, 3), dest = Array::zeros(DType::float32, {400});
  f({1}, {400}, Out(dest), In(a), In(b));
  for (std::int64_t i = 0; i < 400; ++i)
    EXPECT_EQ(dest.data<float>()[i], a.data<float>()[i] * b.data<float>()[i]);
  EXPECT_EQ(f.name(), "multiply_them");
}

TEST_P(RawModule, TakesDeviceArraysViewsAndBothWays) {
  const KernelFunction f = module_of(R"(
__global__ void add(float *y, const float *x, float by, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i] * by;
})")
                               .function("add");
  const Array x = floats(1000), y = Array::ones(DType::float32, {1000});
  const Array there = to_device(x, target_);
  f({4}, {256}, InOut(y), there, 2.0, 1000);
  for (std::int64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(y.data<float>()[i], 1 + 2 * x.data<float>()[i]);
  // Every second element of a host array, both ways, and another array that stays on the device.
  const Array wide = Array::zeros(DType::float32, {20}), odd = wide.slice(0, 1, 20, 2);
  f({1}, {32}, InOut(odd), there, 1.0F, odd.elements());
  EXPECT_EQ(wide.data<float>()[0], 0);
  EXPECT_EQ(wide.data<float>()[1], x.data<float>()[0]);
  EXPECT_EQ(wide.data<float>()[19], x.data<float>()[9]);
  const Array kept = zeros(DType::float32, {1000}, target_);
  f({4}, {256}, kept, there, 1, 1000U);
  EXPECT_TRUE(same_elements(asarray(kept), x));
}

TEST_P(RawModule, PassesNumbersOfEveryType) {
  const KernelFunction f = module_of(R"(
__global__ void put(double *to, bool b, char c, unsigned char uc, short s, unsigned short us,
                    int i, unsigned int u, long long l, unsigned long long ul, float f, double d,
                    const size_t n) {
  const double all[] = {double(b), double(c), double(uc), double(s), double(us), double(i),
                        double(u), double(l), double(ul), double(f), d, double(n)};
  for (int k = 0; k < 12; ++k) to[k] = all[k];
})")
                               .function("put");
  const Array to = Array::zeros(DType::float64, {12});
  f({1},
    {1},
    Out(to),
    true,
    -3,
    250,
    -30000,
    60000,
    -5,
    4000000000U,
    -(1LL << 40),
    1ULL << 50,
    0.5F,
    0.1,
    12);
  const std::vector<double> expected{
      1, -3, 250, -30000, 60000, -5, 4e9, -1099511627776.0, 1125899906842624.0, 0.5, 0.1, 12};
  EXPECT_EQ(to.to_vector(), expected);
}

TEST_P(RawModule, ReachesGlobalsAndConstantMemory) {
  const Module module = module_of(R"(
__constant__ float scale[3];
__device__ int calls = 40;
__global__ void k(float *y) {
  y[threadIdx.x] = scale[threadIdx.x];
  if (threadIdx.x == 0) calls += 2;
})");
  const Array scale = module.get_global("scale", DType::float32);
  EXPECT_EQ(scale.dims(), (Dims{3}));
  copy(Array::of({1.5F, 2.5F, 3.5F}), scale);
  const Array y = Array::zeros(DType::float32, {3});
  module.function("k")({1}, {3}, Out(y));
  EXPECT_TRUE(same_elements(y, Array::of({1.5F, 2.5F, 3.5F})));
  EXPECT_EQ(asarray(module.get_global("calls", DType::int32)).at({0}), 42);
  EXPECT_EQ(module.get_global("calls").elements(), 4);
  EXPECT_TRUE(says(message_of([&] { module.get_global("scales"); }), "'scales'"));
  EXPECT_TRUE(says(
      message_of([&] { module.get_global("scale", DType::float64); }),
      "no multiple of a float64's 8"));
}

TEST_P(RawModule, GivesSharedMemoryAndCompilerOptions) {
  const KernelFunction f = module_of(
                               R"(
__global__ void reverse(int *x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x] + ADD;
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
})",
                               {.options = {"-DADD=5"}})
                               .function("reverse");
  const Array x = Array::arange(64, DType::int32);
  f.with({.shared_bytes = 64 * 4})({1}, {64}, InOut(x));
  EXPECT_EQ(x.at({0}), 63 + 5);
  EXPECT_EQ(x.at({63}), 0 + 5);
}

TEST_P(RawModule, TemplatesNeedThePlainText) {
  const char* text = R"(
template <class T> __device__ T twice(T x) { return 2 * x; }
extern "C" __global__ void k(int *x) { x[0] = twice(x[0]); })";
  const Array x = Array::of({21});
  module_of(text, {.no_extern_c = true}).function("k")({1}, {1}, InOut(x));
  EXPECT_EQ(x.at({0}), 42);
}

TEST_P(RawModule, DirectivesMayBeginTheText) {
  const Array x = Array::of({1});
  module_of("#define N 6\n__global__ void k(int *x) { x[0] += N; }")
      .function("k")({1}, {1}, InOut(x));
  EXPECT_EQ(x.at({0}), 7);
}

TEST_P(RawModule, StreamsOverlapAndEventsKeepTheTime) {
  const KernelFunction f = module_of(multiply).function("multiply_them");
  const std::string& target = target_;
  const Array a = to_device(floats(400), target), b = to_device(floats(400), target);
  const Array one = empty(DType::float32, {400}, target),
              two = empty(DType::float32, {400}, target);
  Stream first = Stream::make(target), second = Stream::make(target);
  const Event begin = Event::record(first);
  f.with({.stream = first})({1}, {400}, one, a, b);
  const Event end = Event::record(first);
  second.wait(end);
  f.with({.stream = second})({1}, {400}, two, one, b);
  second.synchronize();
  first.synchronize();
  end.synchronize();
  const double took = end.seconds_since(begin);
  EXPECT_GT(took, 0);
  EXPECT_LT(took, 1e-3);
  const Array got = asarray(two);
  for (std::int64_t i = 0; i < 400; ++i) {
    const float x = floats(400).data<float>()[i];
    EXPECT_EQ(got.data<float>()[i], x * x * x);
  }
  EXPECT_TRUE(says(message_of([] { Event().synchronize(); }), "never recorded"));
}

TEST_P(RawModule, TimesTheKernelWithoutItsCopies) {
  const KernelFunction f = module_of(multiply).function("multiply_them");
  const Array a = floats(400), dest = Array::zeros(DType::float32, {400});
  const double kernel = f.timed({1}, {400}, Out(dest), In(a), In(a));
  const double begin = seconds();
  f({1}, {400}, Out(dest), In(a), In(a));
  const double whole = seconds() - begin;
  EXPECT_GT(kernel, 0);
  EXPECT_LT(kernel, whole);
  EXPECT_EQ(dest.data<float>()[3], a.data<float>()[3] * a.data<float>()[3]);
}

TEST_P(RawModule, CountsItsLaunches) {
  const KernelFunction f = module_of(multiply).function("multiply_them");
  const Array a = floats(400), dest = Array::zeros(DType::float32, {400});
  const std::int64_t before = launched_kernels();
  f({1}, {400}, Out(dest), In(a), In(a));
  f.timed({1}, {400}, Out(dest), In(a), In(a));
  EXPECT_THROW(f({1}, {4000}, Out(dest), In(a), In(a)), Error);
  EXPECT_EQ(launched_kernels(), before + 2) << "what was refused is no launch";
}

TEST_P(RawModule, GivesItsMemoryBack) {
  const KernelFunction f = module_of(multiply).function("multiply_them");
  const Array a = floats(400), dest = Array::zeros(DType::float32, {400});
  const std::size_t before = device().memory().live;
  for (int i = 0; i < 100; ++i)
    f({1}, {400}, Out(dest), In(a), In(a));
  { const Array held = to_device(a, target_); }
  EXPECT_EQ(device().memory().live, before);
}

TEST_P(RawModule, CopiesEveryWay) {
  const std::string& target = target_;
  const Array a = floats(10), here = Array::zeros(DType::float32, {10});
  const Array there = to_device(a, target), other = zeros(DType::float32, {10}, target);
  EXPECT_TRUE(same_elements(asarray(other), here));
  copy(there, other);
  copy(other, here);
  EXPECT_TRUE(same_elements(here, a));
  EXPECT_TRUE(says(
      message_of([&] { copy(a, zeros(DType::float32, {9}, target)); }),
      "two arrays of one dtype and one shape"));
  EXPECT_TRUE(
      says(message_of([&] { copy(a.slice(0, 0, 10, 2), here.slice(0, 0, 5)); }), "row-major"));
}

}  // namespace
}  // namespace hypatia::cuda
