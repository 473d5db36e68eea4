// Which kernels share a launch.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/plan/planned.h"

namespace hypatia {
namespace {

TEST(Beside, IndependentShortKernelsShareALaunch) {
  const Variable x = vector("x", DType::float32), y = vector("y", DType::float32);
  const Plan plan = planned({x, y}, {exp(x), sum(y)}, {{100}, {50}});
  ASSERT_EQ(kernels(plan).size(), 1U);
  EXPECT_EQ(kernels(plan)[0]->beside.size(), 1U);
  double share = 0;
  for (const Step& step : plan.steps) {
    if (!std::holds_alternative<KernelWork>(step.work)) continue;
    for (const StepShare& s : step.shares)
      share += s.share;
  }
  EXPECT_NEAR(share, 1, 1e-12);
}

TEST(Beside, KernelsThatNeedEachOtherRunInOrder) {
  const Variable x = vector("x", DType::float32), y = vector("y", DType::float32);
  const Plan plan = planned({x, y}, {exp(y) * sum(x)}, {{100}, {50}});
  for (const KernelWork* work : kernels(plan))
    EXPECT_TRUE(work->beside.empty() || kernels(plan).size() > 1);
  EXPECT_GE(kernels(plan).size(), 2U);
}

TEST(Beside, LongKernelsKeepTheirLaunches) {
  const Variable x = vector("x", DType::float32), y = matrix("y", DType::float32);
  const Plan plan = planned({x, y}, {exp(x), exp(y)}, {{100'000}, {300, 300}});
  EXPECT_EQ(kernels(plan).size(), 2U);
}

TEST(Beside, ALogisticStepIsTwoLaunches) {
  const Variable x = matrix("x", DType::float32), y = vector("y", DType::float32);
  const Variable w = vector("w", DType::float32);
  const Variable d = sigmoid(dot(x, w)) - y;
  const Vars outputs{w - 0.1F * dot(d, x), 0.5F - 0.1F * sum(d)};
  const Plan plan = planned({x, y, w}, outputs, {{400, 784}, {400}, {784}});
  EXPECT_EQ(kernels(plan).size(), 2U);
  for (const Step& step : plan.steps)
    EXPECT_FALSE(std::holds_alternative<ProductWork>(step.work)) << step.name;
}

}  // namespace
}  // namespace hypatia
