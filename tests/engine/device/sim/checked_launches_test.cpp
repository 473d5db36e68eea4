// Where counts are enough, the checked simulator looks at the first launches of a kernel alone.
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "engine/core/config.h"
#include "engine/device/device.h"
#include "engine/device/kernel.h"
#include "engine/device/sim/report.h"

namespace hypatia {
namespace {

TEST(SimCheckedLaunches, LooksAtAsManyLaunchesAsAreAskedFor) {
  const ChangeFlags few(config(), {{"sim.checked", "True"}, {"sim.checked_launches", "2"}});
  const std::unique_ptr<Device> device = open_device("sim", Place{0}).device;
  sim::take_reports();
  const Ref<Module> module = device->compile(
      {Dialect::cuda_c,
       "lesson",
       "__global__ void fill(int* y) { y[threadIdx.x] = 7; }\n"
       "__global__ void take(int* y, const int* x) { y[threadIdx.x] = x[threadIdx.x] + 1; }\n",
       {},
       {}});
  Launch launch;
  launch.block = {32, 1, 1};
  std::vector<Ref<Storage>> filled;
  Ref<Storage> y = device->allocate(128);
  void* out = y->data();
  // The third array is filled by a launch that nobody looks at, and yet is not uninitialised.
  for (int i = 0; i < 3; ++i) {
    filled.push_back(device->allocate(128));
    void* x = filled.back()->data();
    void* one[] = {&x};
    device->launch(module->find("fill"), launch, one, nullptr);
  }
  void* x = filled[2]->data();
  void* both[] = {&out, &x};
  device->launch(module->find("take"), launch, both, nullptr);
  EXPECT_NO_THROW(device->synchronize());
  std::vector<std::int32_t> got(32);
  y->read(0, got.data(), 128);
  EXPECT_EQ(got, std::vector<std::int32_t>(32, 8)) << "all of them ran";
  const std::vector<sim::SimReport> reports = sim::take_reports();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].launches, 2U);
  EXPECT_EQ(reports[0].skipped, 1U);
  EXPECT_EQ(reports[0].accesses, 64U);
  EXPECT_EQ(reports[1].launches, 1U);
  EXPECT_EQ(reports[1].skipped, 0U);
}

}  // namespace
}  // namespace hypatia
