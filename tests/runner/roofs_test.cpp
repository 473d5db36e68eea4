// What measuring a device's roofs finds: of a simulated card its sheet, of the processor rates that
// a plain loop does not exceed.
#include "exercises/runner/roofs.h"

#include <gtest/gtest.h>
#include <vector>

#include "engine/core/cores.h"

namespace hypatia::runner {
namespace {

TEST(MeasuredRoofs, OfASimulatedCardAreNearItsSheet) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the host's part of a launch is measured, and sanitizers lengthen it";
#endif
  const Opened opened = open_device("sim", Place{0});
  ASSERT_TRUE(opened.device) << opened.reason;
  const Limits& sheet = opened.device->info().limits;
  const Limits found = measure_roofs(
                           *opened.device,
                           {.memory_bytes = 8 << 20,
                            .link_bytes = 4 << 20,
                            .steps = 256,
                            .rounds = 2,
                            .nanoseconds = 0})
                           .limits;
  const auto near = [](double measured, double stated, const char* what) {
    EXPECT_GT(measured, 0.25 * stated) << what << ": a busy host lengthens its part";
    EXPECT_LT(measured, 1.01 * stated) << what;
  };
  near(found.f32_flops, sheet.f32_flops, "float32");
  near(found.memory_bandwidth, sheet.memory_bandwidth, "memory");
  near(found.copy_in_bandwidth, sheet.copy_in_bandwidth, "to the device");
  near(found.copy_out_bandwidth, sheet.copy_out_bandwidth, "from the device");
  EXPECT_LT(found.pageable_bandwidth, 0.9 * found.copy_in_bandwidth);
  EXPECT_LT(found.f64_flops, 0.9 * found.f32_flops);
}

/// Operations a second of one thread, by a loop that the compiler may vectorise.
double plain_flops() {
  std::vector<float> x(1024, 1.0F);
  const std::int64_t begin = monotonic_ns();
  constexpr int repeats = 2000;
  for (int i = 0; i < repeats; ++i) {
    for (float& value : x)
      value = value * 0.999F + 0.001F;
  }
  const auto spent = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  EXPECT_GT(x[7], 0.5F);
  return 2.0 * 1024 * repeats / spent;
}

TEST(MeasuredRoofs, OfTheProcessorAreAboveAPlainLoop) {
  const Opened opened = open_device("cpu", host);
  const auto as_they_should_be = [](const Limits& of) {
    return of.f32_flops > plain_flops() && of.f64_flops > 0.3 * of.f32_flops &&
           of.f64_flops < 0.8 * of.f32_flops;
  };
  // Others on the machine may take its cores while one of the rates is measured.
  DeviceInfo info;
  for (int tries = 0; tries < 5 && !as_they_should_be(info.limits); ++tries) {
    info = measure_roofs(
        *opened.device,
        {.memory_bytes = 64 << 20, .steps = 4096, .rounds = 3, .nanoseconds = 20'000'000});
  }
  const Limits& limits = info.limits;
  EXPECT_EQ(info.name, "cpu");
  EXPECT_TRUE(as_they_should_be(limits))
      << "float32 " << limits.f32_flops << ", float64 " << limits.f64_flops;
  // A processor of this century: more than 1 GB/s and less than 10 TB/s.
  EXPECT_GT(limits.memory_bandwidth, 1e9);
  EXPECT_LT(limits.memory_bandwidth, 1e13);
  EXPECT_GT(limits.cache_bandwidth, limits.memory_bandwidth / 2);
  EXPECT_EQ(limits.copy_in_bandwidth, 0);
}

}  // namespace
}  // namespace hypatia::runner
