// Memory of a plan: peaks that can be added up by hand, and the best order against all orders.

#include "profiler/analyze/memory.h"

#include <gtest/gtest.h>

namespace hypatia {
namespace {

/// Two chains a→b and c→d that meet in e; a and c make 100 bytes, b and d 10, e 1.
RecordingData two_chains() {
  RecordingData data;
  FunctionRecord function;
  function.nodes.resize(5);
  const auto reads = [&](std::size_t node, std::int32_t source) {
    function.nodes[node].inputs.push_back({source, 0, "", ""});
  };
  reads(2, 0);
  reads(3, 1);
  reads(4, 2);
  reads(4, 3);
  data.functions.push_back(function);
  PlanRecord plan;
  plan.function = 1;
  plan.steps.resize(5);
  for (std::uint32_t i = 0; i < 5; ++i)
    plan.steps[i].nodes = {{i, 1}};
  plan.buffers = {
      {0, 100, 0, 2, 0, 'c', true},
      {1, 100, 1, 3, 1, 'c', true},
      {2, 10, 2, 4, 2, 'c', true},
      {3, 10, 3, 4, 3, 'c', false},
      {4, 1, 4, 4, 0, 'c', false},
      {4, 50, 4, 4, 4, 'i', true},
  };
  data.plans.push_back(plan);
  return data;
}

TEST(Memory, FollowsTheOrderOfSteps) {
  const Recording recording(two_chains());
  const MemoryAnalysis memory = analyze_memory(recording, recording.plans()[0]);
  ASSERT_EQ(memory.live.size(), 5u);
  EXPECT_EQ(memory.live[0].device, 100);
  EXPECT_EQ(memory.live[2].device, 210);
  EXPECT_EQ(memory.live[3].device, 110);
  EXPECT_EQ(memory.live[3].host, 10);
  EXPECT_EQ(memory.peak.total(), 210);
  EXPECT_EQ(memory.peak_step, 2);
  EXPECT_EQ(memory.at_peak, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(memory.reserved.device, 100 + 100 + 10);
  EXPECT_EQ(memory.reserved.host, 10 + 1);
  EXPECT_EQ(memory.without_gc.total(), 221);
}

TEST(Memory, AsksWhatWorkInPlaceSaves) {
  RecordingData data = two_chains();
  data.plans[0].buffers[5].first_step = 2;
  const Recording recording(std::move(data));
  EXPECT_EQ(analyze_memory(recording, recording.plans()[0]).without_inplace.total(), 260);
}

TEST(Memory, FindsTheBestOrder) {
  const Recording recording(two_chains());
  const MemoryAnalysis memory = analyze_memory(recording, recording.plans()[0]);
  // One chain to its end first: a and b (110), then c beside b (110), then c and d and b (120).
  EXPECT_EQ(memory.best_order, 120);
  EXPECT_TRUE(memory.best_is_exact);
}

}  // namespace
}  // namespace hypatia
