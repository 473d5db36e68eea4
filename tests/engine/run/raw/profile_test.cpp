// Launches are heard as calls of a function: its nodes are the copies and the kernel, and what the
// device did belongs to them.
#include "engine/run/raw/profile.h"

#include <algorithm>

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

/// Keeps what it is told.
class Listener final : public Observer {
 public:
  std::uint32_t add_function(const FunctionRecord& function) override {
    functions.push_back(function);
    return static_cast<std::uint32_t>(functions.size());
  }

  std::uint32_t add_plan(const PlanRecord& plan) override {
    plans.push_back(plan);
    const std::uint32_t first = steps_ + 1;
    steps_ += static_cast<std::uint32_t>(plan.steps.size());
    return first;
  }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return ++calls; }

  void end_call(std::uint32_t, std::uint32_t call, std::int64_t) override { ended = call; }

  void begin_step(std::uint32_t, std::uint32_t step) override { steps.push_back(step); }

  void end_step(std::uint32_t, std::uint32_t, std::int64_t) override { ++steps_ended; }

  void on(const hypatia::Event& event) override { events.push_back(event); }

  void on(const Activity& activity) override { activities.push_back(activity); }

  std::vector<FunctionRecord> functions;
  std::vector<PlanRecord> plans;
  std::vector<std::uint32_t> steps;
  std::vector<hypatia::Event> events;
  std::vector<Activity> activities;
  std::uint32_t calls = 0, ended = 0;
  int steps_ended = 0;

 private:
  std::uint32_t steps_ = 0;
};

constexpr const char* product = R"(
__global__ void multiply_them(float *dest, float *a, float *b) {
  dest[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}
)";

TEST(RawProfile, HasANodeForEachCopyAndForTheKernel) {
  Listener listener;
  const Array a = Array::ones(DType::float32, {400}), dest = Array::zeros(DType::float32, {400});
  {
    const KernelFunction f =
        Module(product, {.target = sim_target(), .observer = &listener}).function("multiply_them");
    f({1}, {400}, Out(dest), In(a), In(a));
    f({1}, {400}, Out(dest), In(a), In(a));
  }
  // Two places in the program are two functions, even on one line of a loop's body.
  ASSERT_EQ(listener.functions.size(), 2U);
  const FunctionRecord& function = listener.functions[0];
  EXPECT_EQ(function.name, "multiply_them");
  ASSERT_EQ(function.nodes.size(), 4U);
  const std::vector<Side> sides{Side::transfer, Side::transfer, Side::gpu, Side::transfer};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(function.nodes[i].side, sides[i]);
    EXPECT_EQ(listener.plans[0].steps[i].nodes[0].node, i);
  }
  EXPECT_EQ(function.nodes[0].name, "GpuFromHost<None>");
  EXPECT_EQ(function.nodes[0].reason, "In(a)");
  EXPECT_EQ(function.nodes[2].name, "GpuKernel{multiply_them}");
  EXPECT_EQ(function.nodes[3].inputs[0].node, 2);
  EXPECT_EQ(listener.plans[0].steps[2].bytes, 4800);
  EXPECT_EQ(listener.calls, 2U);
  EXPECT_EQ(listener.ended, 2U);
  EXPECT_EQ(listener.steps_ended, 8);
}

TEST(RawProfile, DeviceWorkBelongsToItsStep) {
  Listener listener;
  const Array a = Array::ones(DType::float32, {400}), dest = Array::zeros(DType::float32, {400});
  const KernelFunction f =
      Module(product, {.target = sim_target(), .observer = &listener}).function("multiply_them");
  for (int i = 0; i < 3; ++i)
    f({1}, {400}, Out(dest), In(a), In(a));
  EXPECT_EQ(listener.functions.size(), 1U);
  const auto count = [&](EventKind kind, std::uint32_t step) {
    return std::count_if(
        listener.activities.begin(), listener.activities.end(), [&](const Activity& activity) {
          return activity.kind == kind && activity.step == step;
        });
  };
  EXPECT_EQ(count(EventKind::copy_in, 1), 3);
  EXPECT_EQ(count(EventKind::copy_in, 2), 3);
  EXPECT_EQ(count(EventKind::kernel, 3), 3);
  EXPECT_EQ(count(EventKind::copy_out, 4), 3);
  EXPECT_EQ(listener.events.size(), 1U) << "the compilation";
}

TEST(RawProfile, EndsItsCallWhenALaunchIsRefused) {
  Listener listener;
  const Array a = Array::ones(DType::float32, {400});
  const KernelFunction f =
      Module(product, {.target = sim_target(), .observer = &listener}).function("multiply_them");
  EXPECT_THROW(f({1}, {5000}, Out(a), In(a), In(a)), Error);
  EXPECT_EQ(listener.ended, 1U);
  EXPECT_FALSE(current_step().observer);
}

}  // namespace
}  // namespace hypatia::cuda
