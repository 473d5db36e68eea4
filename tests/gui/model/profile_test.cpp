// The sums that views show: each node's, each function's, and the wall clock's.

#include "gui/model/profile.h"

#include <cmath>

#include "gui/model/match.h"
#include "profiler/record/synthetic.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

RecordingData one_step(Side side) {
  RecordingData data;
  FunctionRecord function;
  function.name = "f";
  function.nodes.resize(2);
  function.nodes[0].op = "exp";
  function.nodes[1].op = "add";
  data.functions.push_back(function);
  PlanRecord plan;
  plan.function = 1;
  StepRecord step;
  step.side = side;
  step.nodes = {{0, 0.75}, {1, 0.25}};
  plan.steps.push_back(step);
  data.plans.push_back(plan);
  data.lanes.push_back({LaneRecord::Kind::host_thread, "", 1, "main"});
  data.lanes.push_back({LaneRecord::Kind::api, "cuda0", 1, "api"});
  data.lanes.push_back({LaneRecord::Kind::stream, "cuda0", 7, "stream"});
  data.lanes.push_back({LaneRecord::Kind::sync, "cuda0", 0, "waits"});
  return data;
}

std::shared_ptr<const Profile> profile_of(RecordingData data) {
  return make_profile(std::make_shared<const Recording>(std::move(data)));
}

}  // namespace

TEST(Profile, SharesAMergedKernelAmongItsNodes) {
  RecordingData data = one_step(Side::gpu);
  data.events = {
      {0, 10'000, 1, 0, 1, 1, EventKind::call, 0},
      {1'000, 9'000, 1, 1, 0, 1, EventKind::step, 0},
      {2'000, 4'000, 1, 1, 0, 2, EventKind::launch, 0},
      {5'000, 8'000, 1, 1, 0, 3, EventKind::kernel, 0},
      {6'000, 8'500, 1, 1, 0, 4, EventKind::sync, 0}};
  const auto profile = profile_of(std::move(data));
  ASSERT_EQ(profile->nodes.size(), 2u);
  const NodeStats& first = profile->nodes[0];
  EXPECT_TRUE(first.estimated);
  EXPECT_DOUBLE_EQ(first.costs.kernel, 0.75 * 3'000);
  EXPECT_DOUBLE_EQ(first.costs.launch, 0.75 * 2'000);
  EXPECT_DOUBLE_EQ(first.costs.host, 0.75 * (8'000 - 2'000 - 2'500));
  EXPECT_DOUBLE_EQ(profile->nodes[1].costs.kernel, 0.25 * 3'000);
  EXPECT_DOUBLE_EQ(profile->costs.gpu(), 3'000);
  EXPECT_EQ(first.calls, 1);
}

TEST(Profile, WallClockPartsSumToTheWhole) {
  RecordingData data = one_step(Side::gpu);
  data.events = {
      {0, 10'000, 1, 0, 1, 1, EventKind::call, 0},
      {1'000, 9'000, 1, 1, 0, 1, EventKind::step, 0},
      {2'000, 4'000, 1, 1, 0, 2, EventKind::launch, 0},
      {3'000, 8'000, 1, 1, 0, 3, EventKind::kernel, 0},
      {6'000, 8'500, 1, 1, 0, 4, EventKind::sync, 0},
      {20'000, 21'000, 2, 0, 1, 1, EventKind::call, 0}};
  const Wall wall = profile_of(std::move(data))->wall;
  EXPECT_DOUBLE_EQ(wall.parts[Wall::gpu], 5'000);
  EXPECT_DOUBLE_EQ(wall.parts[Wall::sync], 500);
  EXPECT_DOUBLE_EQ(wall.parts[Wall::launch], 1'000);
  EXPECT_DOUBLE_EQ(wall.parts[Wall::host], 10'000 - 6'500 + 1'000);
  EXPECT_DOUBLE_EQ(wall.parts[Wall::idle], 10'000);
  EXPECT_DOUBLE_EQ(wall.whole(), 21'000);
}

TEST(Profile, EmptyRecordingsGiveAVerdict) {
  const auto profile = profile_of({});
  EXPECT_TRUE(profile->nodes.empty());
  EXPECT_FALSE(profile->verdict.empty());
  EXPECT_EQ(profile->length(), 0);
}

TEST(Profile, FunctionsSumToTheWhole) {
  for (const std::string& name : demo_names()) {
    if (name == "large") continue;
    const auto profile = make_demo(name);
    double sum = 0;
    for (const NodeStats& node : profile->nodes)
      sum += node.costs.total();
    EXPECT_NEAR(sum, profile->costs.total(), 1e-6 * sum) << name;
    EXPECT_GT(sum, 0) << name;
  }
}

TEST(MatchNodes, FindsANodeThatMovedToTheGpu) {
  const auto cpu = make_demo("logistic-cpu"), gpu = make_demo("logistic-cuda");
  int both = 0, only_gpu = 0;
  for (const NodePair& pair : match_nodes(*cpu, *gpu)) {
    if (pair.left >= 0 && pair.right >= 0) {
      ++both;
      EXPECT_EQ(
          cpu->nodes[static_cast<std::size_t>(pair.left)].record->op,
          gpu->nodes[static_cast<std::size_t>(pair.right)].record->op);
    }
    if (pair.left < 0) ++only_gpu;
  }
  EXPECT_GE(both, 8);
  EXPECT_GE(only_gpu, 4) << "the transfers are only on the GPU's side";
}

}  // namespace hypatia::gui
