// The simulated GPU as a Device: kernels of every shape, transfers, waits, errors.
#include "engine/device/device.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/core/error.h"
#include "engine/trace/clock.h"

namespace hypatia {
namespace {

class SimDeviceTest : public testing::Test {
 protected:
  SimDeviceTest() : device_(open_device("sim", Place{0}).device) {}

  template <class T>
  Ref<Storage> put(const std::vector<T>& values) {
    Ref<Storage> on = device_->allocate(values.size() * sizeof(T));
    on->write(0, values.data(), values.size() * sizeof(T));
    return on;
  }

  template <class T>
  std::vector<T> get(Storage& from) {
    std::vector<T> values(from.bytes() / sizeof(T));
    from.read(0, values.data(), from.bytes());
    return values;
  }

  template <class... A>
  void run(const std::string& text, const std::string& entry, Launch launch, A... arguments) {
    modules_.push_back(device_->compile({Dialect::cuda_c, "test", text, {entry}, {}}));
    void* addresses[] = {&arguments..., nullptr};
    device_->launch(modules_.back()->find(entry), launch, addresses, nullptr);
  }

  static Launch shape(std::uint32_t grid, std::uint32_t block, std::uint32_t shared = 0) {
    Launch launch;
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
    launch.shared_bytes = shared;
    return launch;
  }

  std::unique_ptr<Device> device_;
  std::vector<Ref<Module>> modules_;
};

TEST_F(SimDeviceTest, SaysThatItIsSimulated) {
  EXPECT_TRUE(device_->info().simulated);
  EXPECT_EQ(device_->info().name, "sim0");
  EXPECT_NE(device_->info().model.find("simulated"), std::string::npos);
  EXPECT_EQ(device_->dialect(), Dialect::cuda_c);
}

TEST_F(SimDeviceTest, RunsAKernelOverARaggedEnd) {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0F);
  Ref<Storage> a = put(x), b = device_->allocate(4000);
  run("extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 2.0f * x[i];\n}\n",
      "twice",
      shape(8, 128),
      a->data(),
      b->data(),
      1000);
  const std::vector<float> y = get<float>(*b);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(y[i], 2.0F * x[i]);
}

TEST_F(SimDeviceTest, ReducesABlockInSharedMemory) {
  std::vector<float> x(1024, 1.0F);
  Ref<Storage> a = put(x), b = device_->allocate(16);
  run("__global__ void total(const float* x, float* y) {\n"
      "  __shared__ float s[256];\n"
      "  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];\n"
      "  for (int h = 128; h > 0; h /= 2) {\n"
      "    __syncthreads();\n"
      "    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n"
      "  }\n"
      "  if (threadIdx.x == 0) y[blockIdx.x] = s[0];\n}\n",
      "total",
      shape(4, 256),
      a->data(),
      b->data());
  EXPECT_EQ(get<float>(*b), std::vector<float>(4, 256.0F));
}

TEST_F(SimDeviceTest, GivesDynamicSharedMemoryToEachBlock) {
  Ref<Storage> b = device_->allocate(3 * 64 * 4);
  run("extern __shared__ int s[];\n"
      "__global__ void reverse(int* y) {\n"
      "  s[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;\n"
      "  __syncthreads();\n"
      "  y[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];\n}\n",
      "reverse",
      shape(3, 64, 256),
      b->data());
  const std::vector<int> y = get<int>(*b);
  for (int i = 0; i < 3 * 64; ++i)
    ASSERT_EQ(y[static_cast<std::size_t>(i)], 63 - i % 64 + 100 * (i / 64));
}

TEST_F(SimDeviceTest, PassesStructsAndSmallValues) {
  Ref<Storage> b = device_->allocate(16);

  struct Pair {
    double x;
    short y;
  };

  run("struct pair { double x; short y; };\n"
      "__global__ void take(const pair p, unsigned char c, double* const y, bool yes) {\n"
      "  y[0] = p.x + p.y; y[1] = yes ? c : -1; }\n",
      "take",
      shape(1, 1),
      Pair{1.5, 2},
      static_cast<unsigned char>(7),
      b->data(),
      true);
  EXPECT_EQ(get<double>(*b), (std::vector<double>{3.5, 7.0}));
}

TEST_F(SimDeviceTest, ReadsAndWritesGlobalVariables) {
  Ref<Module> module = device_->compile(
      {Dialect::cuda_c,
       "constants",
       "__constant__ float factor[2] = {3.0f, 4.0f};\n__device__ int calls;\n"
       "__global__ void k(float* y) { y[threadIdx.x] = factor[threadIdx.x]; atomicAdd(&calls, 1); "
       "}",
       {"k"},
       {}});
  const auto [address, bytes] = module->global("calls");
  EXPECT_EQ(bytes, 4U);
  Ref<Storage> b = device_->allocate(8);
  void* y = b->data();
  void* addresses[] = {&y};
  device_->launch(module->find("k"), shape(1, 2), addresses, nullptr);
  EXPECT_EQ(get<float>(*b), (std::vector<float>{3.0F, 4.0F}));
  EXPECT_EQ(*static_cast<int*>(address), 2);
  EXPECT_THROW(module->global("absent"), Error);
  EXPECT_THROW(module->find("absent"), Error);
}

TEST_F(SimDeviceTest, ShowsTheUsersLineOfATextThatDoesNotCompile) {
  try {
    device_->compile(
        {Dialect::cuda_c, "wrong", "__global__ void k(float* y) {\n  y[0] = z;\n}\n", {"k"}, {}});
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    const std::string what = error.what();
    EXPECT_NE(what.find("wrong.cu:2"), std::string::npos) << what;
    EXPECT_NE(what.find("y[0] = z;"), std::string::npos) << what;
  }
}

TEST_F(SimDeviceTest, RefusesBadSizes) {
  const std::string text = "__global__ void k() {}";
  for (const Launch& launch : {shape(1, 0), shape(1, 1025), shape(0, 1), shape(1, 1, 1U << 20)}) {
    try {
      run(text, "k", launch);
      FAIL() << launch.block[0];
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::device);
    }
  }
}

TEST_F(SimDeviceTest, ReportsAFaultAtTheNextWaitAndGoesOn) {
  run("__global__ void crash(float* y) { *(float*)64 = 1.0f; }", "crash", shape(1, 1), nullptr);
  try {
    device_->synchronize();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("crash"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("illegal memory access"), std::string::npos);
  }
  device_->synchronize();
}

TEST_F(SimDeviceTest, RefusesHostMemoryAsAnArgument) {
  float x = 0;
  run("__global__ void k(float* y) { *y = 1; }", "k", shape(1, 1), &x);
  EXPECT_THROW(device_->synchronize(), Error);
  EXPECT_EQ(x, 0.0F);
}

TEST_F(SimDeviceTest, LandsInPinnedMemoryOnlyWhenWaitedFor) {
  Ref<Storage> a = put(std::vector<int>{1, 2, 3, 4});
  Ref<Storage> pinned = device_->allocate_pinned(16);
  std::memset(pinned->data(), 0, 16);
  device_->copy_out(*pinned, 0, *a, 0, 16, nullptr);
  EXPECT_EQ(static_cast<int*>(pinned->data())[3], 0);
  pinned->wait();
  EXPECT_EQ(static_cast<int*>(pinned->data())[3], 4);
}

TEST_F(SimDeviceTest, TellsHowMuchMemoryIsInUseWhenItRunsOut) {
  try {
    device_->allocate(std::size_t{1} << 50);
    FAIL() << "there was room";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::memory);
  }
  EXPECT_EQ(device_->memory().live, 0U);
}

TEST_F(SimDeviceTest, ChecksTheRangesOfCopies) {
  Ref<Storage> a = device_->allocate(16);
  char host_bytes[32]{};
  EXPECT_THROW(device_->copy_in(*a, 8, host_bytes, 16, nullptr), Error);
  EXPECT_THROW(device_->copy_in(*a, 0, a->data(), 16, nullptr), Error);
  Ref<Storage> small = allocate_host(8);
  EXPECT_THROW(device_->copy_out(*small, 0, *a, 0, 16, nullptr), Error);
  EXPECT_THROW(device_->copy_on(*small, 0, *a, 0, 8, nullptr), Error);
}

TEST_F(SimDeviceTest, ReplaysACapture) {
  Ref<Storage> a = put(std::vector<float>{1, 2});
  Ref<Module> module = device_->compile(
      {Dialect::cuda_c, "step", "__global__ void k(float* y) { y[threadIdx.x] += 1; }", {"k"}, {}});
  void* y = a->data();
  void* addresses[] = {&y};
  Ref<Queue> queue = device_->make_queue();
  device_->begin_capture(queue.get());
  device_->launch(module->find("k"), shape(1, 2), addresses, queue.get());
  device_->launch(module->find("k"), shape(1, 2), addresses, queue.get());
  Ref<Replay> replay = device_->end_capture(queue.get());
  y = nullptr;
  EXPECT_EQ(get<float>(*a), (std::vector<float>{1, 2}));
  device_->submit(*replay, queue.get());
  device_->submit(*replay, queue.get());
  queue->synchronize();
  EXPECT_EQ(get<float>(*a), (std::vector<float>{5, 6}));
}

TEST_F(SimDeviceTest, ServesSeveralThreadsAtOnce) {
  const Ref<Module> module = device_->compile(
      {Dialect::cuda_c,
       "add",
       "__global__ void k(int* y) { __shared__ int s; if (threadIdx.x == 0) s = 1;\n"
       "  __syncthreads(); y[blockIdx.x * blockDim.x + threadIdx.x] += s; }",
       {"k"},
       {}});
  const Kernel& kernel = module->find("k");
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&, i] {
      const Ref<Queue> queue = device_->make_queue();
      const Ref<Storage> y = device_->allocate(4096), pinned = device_->allocate_pinned(4096);
      device_->fill(*y, 0, 0, 4096, queue.get());
      void* at = y->data();
      void* arguments[] = {&at};
      for (int n = 0; n < 20; ++n)
        device_->launch(kernel, shape(8, 128), arguments, queue.get());
      device_->copy_out(*pinned, 0, *y, 0, 4096, queue.get());
      pinned->wait();
      const int* values = static_cast<int*>(pinned->data());
      sums[i] = std::accumulate(values, values + 1024, 0);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(sums, std::vector<int>(4, 20 * 1024));
}

TEST_F(SimDeviceTest, MultipliesWithStridesAndBatches) {
  // a is 2×3, b is 3×2 stored transposed, two batches of b.
  Ref<Storage> a = put(std::vector<double>{1, 2, 3, 4, 5, 6});
  Ref<Storage> b = put(std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  Ref<Storage> c = put(std::vector<double>(8, NAN));
  MatrixProduct p;
  p.dtype = DType::float64;
  p.m = 2, p.n = 2, p.k = 3, p.batches = 2;
  p.a = a->data(), p.b = b->data(), p.c = c->data();
  p.a_row = 3, p.b_row = 1, p.b_column = 3, p.c_row = 2;
  p.b_batch = 6, p.c_batch = 4, p.alpha = 2;
  device_->multiply(p, nullptr);
  EXPECT_EQ(get<double>(*c), (std::vector<double>{2, 4, 8, 10, 6, 12, 12, 30}));
}

}  // namespace
}  // namespace hypatia
