#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/cuda/settings.h"

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

constexpr const char* kernels = R"(
extern "C" __global__ void scale(float* y, const float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void add_one(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 1;
}
extern "C" __global__ void spin(float* y, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) { }
  if (y) y[0] += 1;
}
extern "C" __global__ void wide(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x * 400] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = tile[(31 - threadIdx.x) * 400];
}
extern "C" __constant__ float factors[4];
extern "C" __global__ void by_factor(float* y) { y[threadIdx.x] = factors[threadIdx.x]; }
)";

KernelSource source() {
  return {
      Dialect::cuda_c,
      "device_test",
      kernels,
      {"scale", "add_one", "spin", "wide", "by_factor"},
      {},
  };
}

Launch over(int n) {
  Launch launch;
  launch.block = {256, 1, 1};
  launch.grid = {static_cast<std::uint32_t>((n + 255) / 256), 1, 1};
  return launch;
}

std::vector<float> random_values(std::size_t n, unsigned seed = 5) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float& value : values)
    value = uniform(random);
  return values;
}

class CudaDeviceTest : public CudaTest {
 protected:
  Module& module() {
    static Ref<Module>& loaded = *new Ref<Module>(device().compile(source()));
    return *loaded;
  }

  Ref<Storage> on_device(const std::vector<float>& values) {
    Ref<Storage> storage = device().allocate(values.size() * sizeof(float));
    device().copy_in(*storage, 0, values.data(), values.size() * sizeof(float), nullptr);
    return storage;
  }

  std::vector<float> values_of(Storage& storage, std::size_t n) {
    std::vector<float> values(n, -7);
    storage.read(0, values.data(), n * sizeof(float));
    return values;
  }

  void scale(Storage& y, Storage& x, float factor, int n, Queue* queue = nullptr) {
    void *to = y.data(), *from = x.data();
    std::array<void*, 4> args{&to, &from, &factor, &n};
    device().launch(module().find("scale"), over(n), args.data(), queue);
  }

  void add_one(Storage& y, int n, Queue* queue = nullptr) {
    void* to = y.data();
    std::array<void*, 2> args{&to, &n};
    device().launch(module().find("add_one"), over(n), args.data(), queue);
  }

  void spin(Storage& y, long long cycles, Queue* queue = nullptr) {
    void* to = y.data();
    std::array<void*, 2> args{&to, &cycles};
    device().launch(module().find("spin"), Launch{}, args.data(), queue);
  }
};

TEST_F(CudaDeviceTest, LaunchesAKernel) {
  const int n = 100'003;
  const std::vector<float> x = random_values(n);
  const Ref<Storage> from = on_device(x), to = device().allocate(n * sizeof(float));
  scale(*to, *from, 3, n);
  const std::vector<float> y = values_of(*to, n);
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(y[i], 3 * x[i]) << i;
}

TEST_F(CudaDeviceTest, CopiesEverySizeBothWays) {
  for (const std::size_t n :
       {1UL, 1000UL, 16'384UL, 16'385UL, 131'072UL, 1'000'001UL, 9'000'000UL}) {
    const std::vector<float> x = random_values(n, static_cast<unsigned>(n));
    const Ref<Storage> storage = on_device(x);
    ASSERT_EQ(values_of(*storage, n), x) << n << " pageable";
    const Ref<Storage> pinned = device().allocate_pinned(n * sizeof(float));
    device().copy_out(*pinned, 0, *storage, 0, n * sizeof(float), nullptr);
    pinned->wait();
    ASSERT_EQ(std::memcmp(pinned->data(), x.data(), n * sizeof(float)), 0) << n << " pinned";
    const Ref<Storage> back = device().allocate(n * sizeof(float));
    device().copy_in(*back, 0, pinned->data(), n * sizeof(float), nullptr);
    const Ref<Storage> third = device().allocate(n * sizeof(float));
    device().copy_on(*third, 0, *back, 0, n * sizeof(float), nullptr);
    ASSERT_EQ(values_of(*third, n), x) << n << " there and back";
  }
}

TEST_F(CudaDeviceTest, CopiesFromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::array<bool, 4> right{};
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<float> x = random_values(700'000, t);
      bool all = true;
      for (int round = 0; round < 5; ++round)
        all = all && values_of(*on_device(x), x.size()) == x;
      right[t] = all;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_TRUE(right[0] && right[1] && right[2] && right[3]);
}

TEST_F(CudaDeviceTest, CopiesAndFillsAtOffsets) {
  const std::vector<float> x = random_values(100);
  const Ref<Storage> storage = device().allocate(100 * sizeof(float));
  device().fill(*storage, 0, 0, 400, nullptr);
  device().copy_in(*storage, 40, x.data() + 10, 80, nullptr);
  const std::vector<float> y = values_of(*storage, 100);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(y[i], i >= 10 && i < 30 ? x[i] : 0) << i;
  storage->write(0, x.data(), 400);
  float last = 0;
  storage->read(396, &last, 4);
  EXPECT_EQ(last, x[99]);
}

TEST_F(CudaDeviceTest, ReturnsBeforeTheWorkIsDone) {
  const Ref<Storage> y = on_device({0, 0});
  const Ref<Marker> begin = device().record(nullptr);
  spin(*y, 100'000'000);  // some 50 ms
  const Ref<Storage> result = device().allocate_pinned(8);
  static_cast<float*>(result->data())[0] = -1;  // of an earlier user of the memory
  device().copy_out(*result, 0, *y, 0, 8, nullptr);
  const Ref<Marker> end = device().record(nullptr);
  result->wait();
  EXPECT_EQ(static_cast<float*>(result->data())[0], 1);
  EXPECT_GT(end->seconds_since(*begin), 5e-3);
}

TEST_F(CudaDeviceTest, ReusesMemoryInTheQueuesOrder) {
  device().synchronize();
  const int n = 1 << 20;
  const std::size_t before = device().memory().live;
  const void* address = nullptr;
  std::vector<Ref<Storage>> results;
  for (int round = 0; round < 20; ++round) {
    const Ref<Storage> temporary = device().allocate(n * sizeof(float));
    if (!address) address = temporary->data();
    EXPECT_EQ(temporary->data(), address);
    const std::vector<float> x(n, static_cast<float>(round));
    device().copy_in(*temporary, 0, x.data(), n * sizeof(float), nullptr);
    results.push_back(device().allocate(n * sizeof(float)));
    scale(*results.back(), *temporary, 2, n);
  }
  EXPECT_EQ(device().memory().live - before, 20 * n * sizeof(float));
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(
        values_of(*results[static_cast<std::size_t>(round)], n)[n - 1],
        2.0F * static_cast<float>(round));
  results.clear();
  EXPECT_EQ(device().memory().live, before);
  EXPECT_GE(device().memory().peak, 20 * n * sizeof(float));
}

TEST_F(CudaDeviceTest, KeepsMemoryFromReuseWhileAnotherQueueReadsIt) {
  const int n = 1 << 18;
  const Ref<Queue> side = device().make_queue();
  const std::vector<float> ones(n, 1), twos(n, 2);
  Ref<Storage> x = on_device(ones);
  const Ref<Storage> y = device().allocate(n * sizeof(float));
  const Ref<Storage> counter = on_device({0});
  device().synchronize();
  spin(*counter, 40'000'000, side.get());
  scale(*y, *x, 1, n, side.get());
  x = nullptr;
  const Ref<Storage> next = on_device(twos);  // would overwrite x before `side` reads it
  side->synchronize();
  EXPECT_EQ(values_of(*y, n), ones);
  EXPECT_EQ(values_of(*next, n), twos);
}

TEST_F(CudaDeviceTest, OrdersQueuesByMarkers) {
  const Ref<Queue> side = device().make_queue();
  const Ref<Storage> y = on_device({0});
  device().synchronize();
  spin(*y, 20'000'000);
  const Ref<Marker> done = device().record(nullptr);
  device().wait(side.get(), *done);
  const Ref<Storage> out = device().allocate_pinned(4);
  device().copy_out(*out, 0, *y, 0, 4, side.get());
  out->wait();
  EXPECT_EQ(*static_cast<float*>(out->data()), 1);
}

TEST_F(CudaDeviceTest, DropsPinnedResultsThatNobodyRead) {
  const int n = 1 << 16;
  const Ref<Storage> y = on_device(std::vector<float>(n, 1));
  for (int round = 0; round < 500; ++round) {
    const Ref<Storage> result = device().allocate_pinned(n * sizeof(float));
    add_one(*y, n);
    device().copy_out(*result, 0, *y, 0, n * sizeof(float), nullptr);
    if (round % 100 != 99) continue;
    result->wait();
    ASSERT_EQ(static_cast<float*>(result->data())[n - 1], static_cast<float>(round + 2));
  }
}

TEST_F(CudaDeviceTest, LetsAKernelWritePinnedMemory) {
  const int n = 1000;
  const std::vector<float> x = random_values(n);
  const Ref<Storage> from = on_device(x), to = device().allocate_pinned(n * sizeof(float));
  const Ref<Storage> counter = on_device({0});
  spin(*counter, 20'000'000);
  scale(*to, *from, 2, n);
  device().mark_written(*to, nullptr);
  to->wait();
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(static_cast<float*>(to->data())[i], 2 * x[i]);
}

TEST_F(CudaDeviceTest, ReplaysACapture) {
  const int n = 1000;
  const Ref<Storage> y = on_device(std::vector<float>(n, 0));
  device().begin_capture(nullptr);
  for (int i = 0; i < 10; ++i)
    add_one(*y, n);
  const Ref<Replay> replay = device().end_capture(nullptr);
  EXPECT_EQ(replay->launches(), 10U);
  EXPECT_EQ(values_of(*y, n)[0], 0) << "a capture runs nothing";
  for (int i = 0; i < 7; ++i)
    device().submit(*replay, nullptr);
  EXPECT_EQ(values_of(*y, n)[n - 1], 70);
}

TEST_F(CudaDeviceTest, ReplaysWithOtherArgumentsAndSizes) {
  int n = 1000;
  const std::vector<float> x = random_values(5000);
  const Ref<Storage> from = on_device(x);
  Ref<Storage> to = device().allocate(5000 * sizeof(float));
  device().begin_capture(nullptr);
  add_one(*on_device({0}), 1);  // so that the launch to change is not the first
  scale(*to, *from, 2, n);
  const Ref<Replay> replay = device().end_capture(nullptr);
  device().submit(*replay, nullptr);
  EXPECT_EQ(values_of(*to, 1000)[999], 2 * x[999]);

  const Ref<Storage> other = device().allocate(5000 * sizeof(float));
  n = 5000;
  float factor = 5;
  void *target = other->data(), *origin = from->data();
  std::array<void*, 4> args{&target, &origin, &factor, &n};
  replay->set_launch(1, over(n), args.data());
  device().fill(*to, 0, 0, 20'000, nullptr);
  device().submit(*replay, nullptr);
  const std::vector<float> y = values_of(*other, 5000);
  for (std::size_t i = 0; i < 5000; ++i)
    ASSERT_EQ(y[i], 5 * x[i]);
  EXPECT_EQ(values_of(*to, 1)[0], 0) << "the old result stays alone";
}

TEST_F(CudaDeviceTest, ReplaysWithOtherCopies) {
  const int n = 4096;
  const std::size_t bytes = n * sizeof(float);
  const std::vector<float> x = random_values(n);
  const Ref<Storage> in = device().allocate_pinned(bytes), out = device().allocate_pinned(bytes);
  const Ref<Storage> middle = device().allocate(bytes);
  std::memcpy(in->data(), x.data(), bytes);
  device().begin_capture(nullptr);
  device().copy_in(*middle, 0, in->data(), bytes, nullptr);
  add_one(*middle, n);
  device().copy_out(*out, 0, *middle, 0, bytes, nullptr);
  const Ref<Replay> replay = device().end_capture(nullptr);
  ASSERT_EQ(replay->copies(), 2U);
  device().submit(*replay, nullptr);
  device().mark_written(*out, nullptr);
  out->wait();
  EXPECT_EQ(static_cast<float*>(out->data())[7], x[7] + 1);

  const Ref<Storage> other = device().allocate_pinned(bytes);
  replay->set_copy(1, other->data(), middle->data(), bytes);
  static_cast<float*>(in->data())[7] = 41;
  device().submit(*replay, nullptr);
  device().mark_written(*other, nullptr);
  other->wait();
  EXPECT_EQ(static_cast<float*>(other->data())[7], 42);
  EXPECT_EQ(static_cast<float*>(out->data())[7], x[7] + 1);
}

TEST_F(CudaDeviceTest, KeepsOtherThreadsOutOfACapture) {
  const Ref<Storage> mine = on_device({0}), theirs = on_device({0});
  device().begin_capture(nullptr);
  add_one(*mine, 1);
  std::thread([&] { add_one(*theirs, 1); }).join();
  const Ref<Replay> replay = device().end_capture(nullptr);
  EXPECT_EQ(replay->launches(), 1U);
  EXPECT_EQ(values_of(*theirs, 1)[0], 1);
  EXPECT_EQ(values_of(*mine, 1)[0], 0);
}

TEST_F(CudaDeviceTest, ForgetsACaptureThatAnErrorCutShort) {
  const Ref<Storage> y = on_device({0});
  device().begin_capture(nullptr);
  add_one(*y, 1);
  Launch launch;
  launch.block = {4096, 1, 1};
  void* to = y->data();
  int n = 1;
  std::array<void*, 2> args{&to, &n};
  EXPECT_THROW(device().launch(module().find("add_one"), launch, args.data(), nullptr), Error);
  device().drop_capture(nullptr);
  add_one(*y, 1);
  EXPECT_EQ(values_of(*y, 1)[0], 1) << "work goes to the queue again";
}

TEST_F(CudaDeviceTest, GivesGlobals) {
  const auto [address, bytes] = module().global("factors");
  EXPECT_EQ(bytes, 16U);
  const std::vector<float> factors{1, 2, 3, 5};
  const Ref<Storage> staged = on_device(factors);

  // Constant memory is device memory at another address: a copy on the device reaches it.
  struct Global final : Storage {
    Global(void* data, std::size_t size, Place place) : Storage(data, size, place) {}
  };

  const Ref<Storage> global(new Global(address, bytes, device().place()));
  device().copy_on(*global, 0, *staged, 0, 16, nullptr);
  const Ref<Storage> y = on_device({0, 0, 0, 0});
  void* to = y->data();
  std::array<void*, 1> args{&to};
  Launch launch;
  launch.block = {4, 1, 1};
  device().launch(module().find("by_factor"), launch, args.data(), nullptr);
  EXPECT_EQ(values_of(*y, 4), factors);
  EXPECT_THROW(module().global("no_such"), Error);
}

TEST_F(CudaDeviceTest, RaisesTheLimitOfSharedMemory) {
  const Ref<Storage> y = on_device(std::vector<float>(32, 0));
  void* to = y->data();
  std::array<void*, 1> args{&to};
  Launch launch;
  launch.block = {32, 1, 1};
  launch.shared_bytes = 32 * 400 * sizeof(float);  // 50 KB: more than a block gets unasked
  device().launch(module().find("wide"), launch, args.data(), nullptr);
  EXPECT_EQ(values_of(*y, 32)[0], 31);
  launch.shared_bytes = 10U << 20U;
  EXPECT_THROW(device().launch(module().find("wide"), launch, args.data(), nullptr), Error);
}

TEST_F(CudaDeviceTest, ExplainsBadLaunches) {
  const Ref<Storage> y = on_device({0});
  void* to = y->data();
  int n = 1;
  std::array<void*, 2> args{&to, &n};
  const Kernel& kernel = module().find("add_one");
  const auto message = [&](Launch launch) -> std::string {
    try {
      device().launch(kernel, launch, args.data(), nullptr);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  Launch launch;
  launch.block = {2048, 1, 1};
  EXPECT_NE(message(launch).find("2048 threads; it can have at most 1024"), std::string::npos)
      << message(launch);
  launch.block = {0, 1, 1};
  EXPECT_NE(message(launch).find("one size is 0"), std::string::npos) << message(launch);
  launch.block = {1, 1, 1};
  launch.grid = {1, 70'000, 1};
  EXPECT_NE(message(launch).find("'add_one'"), std::string::npos) << message(launch);
  add_one(*y, 1);
  EXPECT_EQ(values_of(*y, 1)[0], 1) << "a refused launch leaves the device usable";
}

TEST_F(CudaDeviceTest, ListsTheEntriesWhereOneIsMissing) {
  try {
    module().find("scal");
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("scale, add_one"), std::string::npos) << error.what();
  }
}

TEST_F(CudaDeviceTest, SaysHowMuchMemoryIsLive) {
  const Ref<Storage> some = device().allocate(3U << 20U);
  try {
    device().allocate(std::size_t{1} << 45U);
    FAIL() << "32 TiB were there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::memory);
    const std::string text = error.what();
    EXPECT_NE(text.find("32.0 TiB"), std::string::npos) << text;
    EXPECT_NE(text.find("live in"), std::string::npos) << text;
  }
  const Ref<Storage> y = on_device({1});
  add_one(*y, 1);
  EXPECT_EQ(values_of(*y, 1)[0], 2);
}

TEST_F(CudaDeviceTest, HoldsThePoolToItsLimit) {
  CudaSettings settings = configured_cuda_settings();
  settings.memory_limit = 128U << 20U;
  const Opened small = open_cuda_with("cuda0", Place{1}, settings);
  ASSERT_NE(small.device, nullptr) << small.reason;
  const Ref<Storage> half = small.device->allocate(60U << 20U);
  EXPECT_THROW(small.device->allocate(100U << 20U), Error);
  EXPECT_NO_THROW(small.device->allocate(40U << 20U));
}

TEST_F(CudaDeviceTest, PreallocatesWhatIsAsked) {
  CudaSettings settings = configured_cuda_settings();
  settings.preallocate = 256;
  const Opened opened = open_cuda_with("cuda0", Place{1}, settings);
  ASSERT_NE(opened.device, nullptr) << opened.reason;
  EXPECT_EQ(opened.device->memory().pooled, std::size_t{256} << 20U);
}

TEST_F(CudaDeviceTest, AllocatesAndFreesWithoutGrowing) {
  for (int i = 0; i < 10; ++i)
    device().allocate(1'000'000);
  const Device::Memory before = device().memory();
  for (int i = 0; i < 10'000; ++i)
    device().allocate(1'000'000);
  const Device::Memory after = device().memory();
  EXPECT_EQ(before.live, after.live);
  EXPECT_EQ(before.pooled, after.pooled);
}

}  // namespace
}  // namespace hypatia
