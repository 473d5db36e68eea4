// The modelled clock: the same in every run, and in the proportions that were measured on a card.
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/device/sim/model.h"
#include "engine/trace/clock.h"
#include "engine/trace/observer.h"

namespace hypatia {
namespace {

/// Keeps the activities of a simulated device.
class Listener final : public Observer {
 public:
  std::uint32_t add_function(const FunctionRecord&) override { return 1; }

  std::uint32_t add_plan(const PlanRecord&) override { return 1; }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return 1; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void begin_step(std::uint32_t, std::uint32_t) override {}

  void end_step(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void on(const Event&) override {}

  void on(const Activity& activity) override { activities.push_back(activity); }

  std::vector<Activity> activities;
};

/// exp over 230,400 float32, the course's first measurement, on a clock that repeats to the bit.
class SimTimingTest : public testing::Test {
 protected:
  static constexpr std::int32_t elements = 230400;

  SimTimingTest() : device_(open_device("sim", Place{0}).device) {
    use_modelled_clock(true);
    module_ = device_->compile(
        {Dialect::cuda_c,
         "exp",
         "__global__ void k(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) y[i] = expf(x[i]);\n}",
         {"k"},
         {}});
    x_ = device_->allocate(elements * 4);
    y_ = device_->allocate(elements * 4);
    launch_.grid = {900, 1, 1};
    launch_.block = {256, 1, 1};
    launch_.flops = 10.0 * elements;
    launch_.bytes = 8.0 * elements;
    device_->fill(*x_, 0, 0, x_->bytes(), nullptr);
    device_->synchronize();
  }

  ~SimTimingTest() override { use_modelled_clock(false); }

  void run(Queue* queue = nullptr) {
    void* x = x_->data();
    void* y = y_->data();
    std::int32_t n = elements;
    void* arguments[] = {&x, &y, &n};
    device_->launch(module_->find("k"), launch_, arguments, queue);
  }

  /// Microseconds of the modelled clock per repetition.
  template <class F>
  double time(int repetitions, F&& f) {
    const std::int64_t begin = now();
    for (int i = 0; i < repetitions; ++i)
      f();
    device_->synchronize();
    return static_cast<double>(now() - begin) * 1e-3 / repetitions;
  }

  std::unique_ptr<Device> device_;
  Ref<Module> module_;
  Ref<Storage> x_, y_;
  Launch launch_;
};

TEST_F(SimTimingTest, ALoopOfLaunchesTakesWhatTheH100Takes) {
  EXPECT_NEAR(time(400, [this] { run(); }), 3.33, 0.33);
}

TEST_F(SimTimingTest, AResultOnTheHostTakesWhatTheH100Takes) {
  Ref<Storage> pinned = device_->allocate_pinned(elements * 4);
  const double fast = time(50, [&] {
    run();
    device_->copy_out(*pinned, 0, *y_, 0, elements * 4, nullptr);
    pinned->wait();
  });
  EXPECT_NEAR(fast, 34.9, 5.2);
  std::vector<float> values(elements);
  const double pageable = time(20, [&] {
    run();
    y_->read(0, values.data(), elements * 4);
  });
  EXPECT_NEAR(pageable, 71, 11);  // through page-locked chunks; the driver alone takes 115
}

TEST_F(SimTimingTest, AReplayTakesWhatTheH100Takes) {
  for (const auto& [length, expected] : {std::pair{1, 2.43}, std::pair{100, 1.39}}) {
    Ref<Queue> queue = device_->make_queue();
    device_->begin_capture(queue.get());
    for (int i = 0; i < length; ++i)
      run(queue.get());
    Ref<Replay> replay = device_->end_capture(queue.get());
    // Enough of them that the wait at the end counts for little.
    const int times = 200 / length;
    const double each = time(times, [&] { device_->submit(*replay, queue.get()); }) / length;
    EXPECT_NEAR(each, expected, 0.15 * expected) << length;
  }
}

TEST_F(SimTimingTest, RepeatsToTheBit) {
  std::vector<std::int64_t> times;
  for (int round = 0; round < 2; ++round) {
    std::unique_ptr<Device> device = open_device("sim:gtx1060", Place{0}).device;
    use_modelled_clock(true);
    Ref<Storage> a = device->allocate(1 << 20), b = device->allocate(1 << 20);
    std::vector<char> bytes(1 << 20);
    device->copy_in(*a, 0, bytes.data(), bytes.size(), nullptr);
    device->copy_on(*b, 0, *a, 0, bytes.size(), nullptr);
    device->synchronize();
    times.push_back(now());
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST_F(SimTimingTest, ReportsWhatTheDeviceDidAndThatItIsSimulated) {
  Listener listener;
  current_step() = {&listener, 3, 7};
  run();
  device_->synchronize();
  current_step() = {};
  ASSERT_EQ(listener.activities.size(), 2U);
  const Activity& kernel = listener.activities[0];
  EXPECT_EQ(kernel.kind, EventKind::kernel);
  EXPECT_EQ(kernel.detail.name, "k");
  EXPECT_EQ(kernel.detail.grid[0], 900);
  EXPECT_EQ(kernel.call, 3U);
  EXPECT_EQ(kernel.step, 7U);
  EXPECT_TRUE(kernel.flags & event_flag::simulated);
  const double modelled = sim::kernel_seconds(sim::find_sheet(""), launch_);
  EXPECT_EQ(kernel.end - kernel.begin, std::llround(modelled * 1e9));
  EXPECT_EQ(kernel.submit_end - kernel.submit_begin, 2900);
  EXPECT_GE(kernel.begin, kernel.submit_end);
  EXPECT_EQ(listener.activities[1].kind, EventKind::sync);
  EXPECT_GE(listener.activities[1].end, kernel.end);
}

TEST_F(SimTimingTest, QueuesOverlapCopiesWithKernelsAndMarkersOrderThem) {
  launch_.flops = 67e12 * 1e-3;  // a millisecond on the whole card
  Ref<Queue> kernels = device_->make_queue(), copies = device_->make_queue();
  Ref<Storage> pinned = device_->allocate_pinned(elements * 4);
  Ref<Marker> before = device_->record(kernels.get());
  run(kernels.get());
  device_->copy_in(*x_, 0, pinned->data(), elements * 4, copies.get());
  Ref<Marker> kernel = device_->record(kernels.get()), copy = device_->record(copies.get());
  EXPECT_NEAR(kernel->seconds_since(*before), 1e-3, 1e-4);
  EXPECT_LT(copy->seconds_since(*before), 1e-4);
  device_->wait(copies.get(), *kernel);
  device_->copy_in(*x_, 0, pinned->data(), elements * 4, copies.get());
  EXPECT_GT(device_->record(copies.get())->seconds_since(*kernel), 1e-5);
}

TEST_F(SimTimingTest, ManySmallKernelsOfSeveralQueuesRunSideBySide) {
  launch_.flops = 67e9;
  launch_.grid = {1, 1, 1};
  Ref<Queue> one = device_->make_queue(), other = device_->make_queue();
  const double alone = time(1, [&] { run(one.get()); });
  const double both = time(1, [&] {
    run(one.get());
    run(other.get());
  });
  EXPECT_LT(both, 1.2 * alone);
}

TEST(SimModel, SmallCardsAndSmallGridsAreSlower) {
  Launch launch;
  launch.grid = {4096, 1, 1};
  launch.block = {256, 1, 1};
  launch.bytes = 1e9;
  const sim::Sheet h100 = sim::find_sheet("h100-sxm"), old = sim::find_sheet("gtx580");
  EXPECT_NEAR(sim::kernel_seconds(h100, launch), 1e9 / 3.08e12, 5e-6);
  EXPECT_GT(sim::kernel_seconds(old, launch), 10 * sim::kernel_seconds(h100, launch));
  Launch narrow = launch;
  narrow.grid = {8, 1, 1};
  EXPECT_GT(sim::kernel_seconds(h100, narrow), 5 * sim::kernel_seconds(h100, launch));
}

TEST(SimModel, CopiesTakeTheMeasuredRates) {
  const sim::Sheet h100 = sim::find_sheet("");
  using Kind = sim::HostMemoryKind;
  const auto rate = [](double seconds, double bytes) { return bytes / seconds * 1e-9; };
  EXPECT_NEAR(rate(sim::copy_in_seconds(h100, 1'000'000, Kind::pinned), 1e6), 50, 5);
  EXPECT_NEAR(rate(sim::copy_in_seconds(h100, 256'000'000, Kind::pinned), 256e6), 55, 3);
  EXPECT_NEAR(rate(sim::copy_out_seconds(h100, 1'000'000, Kind::pinned), 1e6), 50, 5);
  EXPECT_NEAR(rate(sim::copy_in_seconds(h100, 4'000'000, Kind::pageable), 4e6), 42, 10);
  EXPECT_NEAR(rate(sim::staging_in_seconds(h100, 1'000'000), 1e6), 18, 2);
  EXPECT_NEAR(rate(sim::staging_out_seconds(h100, 4'000'000), 4e6), 20, 2);
}

TEST(SimModel, ProductsTakeTheMeasuredTimes) {
  const sim::Sheet h100 = sim::find_sheet("");
  MatrixProduct large, vector;
  large.m = large.n = large.k = 1000;
  vector.m = 400, vector.k = 784;
  EXPECT_NEAR(sim::product_seconds(h100, large) * 1e6, 52.6, 6);
  EXPECT_NEAR(sim::product_seconds(h100, vector) * 1e6, 6.4, 1.3);
}

TEST(SimSheets, AreReadFromFilesAndMistakesAreNamed) {
  const std::string path = testing::TempDir() + "half.json";
  std::ofstream(path) << R"({"like": "gtx1060", "name": "half", "memory_bandwidth": 1e11,)"
                      << R"( "capability": 6.1, "pageable_in": [[1e6, 5e9]]})";
  const Opened opened = open_device("sim:" + path, Place{0});
  ASSERT_TRUE(opened.device) << opened.reason;
  EXPECT_EQ(opened.device->info().limits.memory_bandwidth, 1e11);
  EXPECT_EQ(opened.device->info().limits.multiprocessors, 10);
  EXPECT_EQ(opened.device->info().capability_minor, 1);
  std::ofstream(path) << R"({"memory_bandwith": 1e11})";
  EXPECT_NE(open_device("sim:" + path, Place{0}).reason.find("memory_bandwith"), std::string::npos);
  EXPECT_NE(open_device("sim:gtx9", Place{0}).reason.find("gtx580"), std::string::npos);
  EXPECT_NE(open_device("simx", Place{0}).reason.find("sim"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
