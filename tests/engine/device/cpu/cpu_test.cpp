// The cpu device: compiles, launches over the pool, copies and fills.
#include "engine/device/cpu/cpu.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/core/error.h"

namespace hypatia {
namespace {

std::unique_ptr<Device> cpu() {
  Opened opened = open_cpu("cpu", host);
  EXPECT_TRUE(opened.device) << opened.reason;
  return std::move(opened.device);
}

TEST(Cpu, OpensUnderItsNameOnly) {
  EXPECT_FALSE(open_cpu("cpu7", host).device);
  const std::unique_ptr<Device> device = cpu();
  EXPECT_EQ(device->info().name, "cpu");
  EXPECT_FALSE(device->info().model.empty());
  EXPECT_GE(device->info().limits.multiprocessors, 1);
  EXPECT_GT(device->info().limits.memory_bytes, 0);
  EXPECT_EQ(device->dialect(), Dialect::host_c);
}

TEST(Cpu, CompilesAndLaunches) {
  const std::unique_ptr<Device> device = cpu();
  const Ref<Module> module = device->compile({
      .name = "axpy",
      .text = R"(void axpy(void* const* args, long first, long last) {
        const float a = *(const float*)args[0];
        const float* x = *(float* const*)args[1];
        float* y = *(float* const*)args[2];
        for (long i = first; i < last; i++) y[i] += a * x[i];
      })",
      .entries = {"axpy"},
      .options = {},
  });
  float a = 2;
  std::vector<float> x(100'000), y(100'000, 1);
  std::iota(x.begin(), x.end(), 0.0F);
  float* x_address = x.data();
  float* y_address = y.data();
  void* args[] = {&a, &x_address, &y_address};
  for (const std::int64_t grain : {0, 1000}) {
    std::fill(y.begin(), y.end(), 1.0F);
    device->launch(module->find("axpy"), {.items = 100'000, .grain = grain}, args, nullptr);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], 1 + 2 * x[i]);
  }
  EXPECT_THROW(module->find("other"), Error);
}

TEST(Cpu, CopiesAndFills) {
  const std::unique_ptr<Device> device = cpu();
  const Ref<Storage> a = device->allocate(64), b = device->allocate_pinned(64);
  device->fill(*a, 0, 7, 64, nullptr);
  const char text[] = "abc";
  device->copy_in(*a, 8, text, 3, nullptr);
  device->copy_out(*b, 0, *a, 7, 5, nullptr);
  EXPECT_EQ(std::memcmp(b->data(), "\7abc\7", 5), 0);
  device->copy_on(*b, 10, *b, 1, 3, nullptr);
  EXPECT_EQ(std::memcmp(static_cast<char*>(b->data()) + 10, "abc", 3), 0);
  EXPECT_GE(device->memory().live, 128U);
}

TEST(Cpu, MarksTime) {
  const std::unique_ptr<Device> device = cpu();
  const Ref<Queue> queue = device->make_queue();
  const Ref<Marker> before = device->record(queue.get());
  const Ref<Marker> after = device->record(queue.get());
  queue->synchronize();
  EXPECT_GE(after->seconds_since(*before), 0.0);
}

}  // namespace
}  // namespace hypatia
