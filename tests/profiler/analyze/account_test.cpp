// Accounting: known times come out as known sums, shares and percentages add up, and every moment
// of the wall clock is credited once.

#include "profiler/analyze/account.h"

#include <gtest/gtest.h>
#include <random>

#include "profiler/analyze/group.h"
#include "profiler/record/synthetic.h"

namespace hypatia {
namespace {

/// One call of two steps on a GPU, with times that can be added up by hand.
RecordingData by_hand() {
  RecordingData data;
  data.lanes = {
      {LaneRecord::Kind::host_thread, "", 1, "main thread"},
      {LaneRecord::Kind::api, "cuda0", 1, "driver"},
      {LaneRecord::Kind::stream, "cuda0", 7, "stream 7"},
      {LaneRecord::Kind::copy_out, "cuda0", 0, "copies out"},
      {LaneRecord::Kind::sync, "cuda0", 0, "waits"},
  };
  FunctionRecord function;
  function.name = "f";
  function.device = "cuda0";
  NodeRecord node;
  node.side = Side::gpu;
  node.name = node.op_class = "GpuElemwise";
  function.nodes = {node, node};
  node.side = Side::transfer;
  node.name = node.op_class = "HostFromGpu";
  function.nodes.push_back(node);
  data.functions.push_back(function);
  PlanRecord plan;
  plan.function = 1;
  plan.steps.resize(2);
  plan.steps[0].nodes = {{0, 0.25}, {1, 0.75}};
  plan.steps[0].side = Side::gpu;
  plan.steps[1].nodes = {{2, 1}};
  plan.steps[1].side = Side::transfer;
  data.plans.push_back(plan);
  data.details.resize(2);
  data.events = {
      {0, 1000, 1, 0, 1, 1, EventKind::call, 0},
      {100, 300, 1, 1, 0, 1, EventKind::step, 0},
      {150, 250, 1, 1, 1, 2, EventKind::launch, 0},
      {350, 600, 1, 1, 1, 3, EventKind::kernel, 0},
      {300, 900, 1, 2, 0, 1, EventKind::step, 0},
      {320, 380, 1, 2, 2, 2, EventKind::launch, 0},
      {600, 800, 1, 2, 2, 4, EventKind::copy_out, 0},
      {380, 850, 1, 2, 0, 5, EventKind::sync, 0},
  };
  return data;
}

TEST(Account, AddsUpWhatIsKnown) {
  const Recording recording(by_hand());
  const Account account = account_for(recording);
  const StepAccount& kernel = account.steps[0];
  EXPECT_DOUBLE_EQ(kernel.parts[Part::launch], 100);
  EXPECT_DOUBLE_EQ(kernel.parts[Part::own], 100);
  EXPECT_DOUBLE_EQ(kernel.parts[Part::kernel], 250);
  const StepAccount& copy = account.steps[1];
  EXPECT_DOUBLE_EQ(copy.parts[Part::sync], 470);
  EXPECT_DOUBLE_EQ(copy.parts[Part::launch], 60);
  EXPECT_DOUBLE_EQ(copy.parts[Part::own], 70);
  EXPECT_DOUBLE_EQ(copy.parts[Part::copy_out], 200);
  EXPECT_DOUBLE_EQ(copy.parts[Part::queue], 0);

  const FunctionAccount& function = account.functions[0];
  EXPECT_EQ(function.calls, 1);
  EXPECT_DOUBLE_EQ(function.call_time, 1000);
  EXPECT_EQ(function.launches, 2);
  EXPECT_DOUBLE_EQ(function.nodes[0].parts.total(), 450 * 0.25);
  EXPECT_DOUBLE_EQ(function.nodes[1].parts.gpu(), 250 * 0.75);
  EXPECT_DOUBLE_EQ(function.nodes[1].median, 450 * 0.75);
  EXPECT_TRUE(function.nodes[0].approximate);
  EXPECT_FALSE(function.nodes[2].approximate);
  EXPECT_DOUBLE_EQ(function.nodes[2].parts.total(), 330);
}

TEST(Account, CreditsEachMomentByPriority) {
  const Recording recording(by_hand());
  const Account account = account_for(recording);
  // 0-100 call, 100-150 host, 150-250 launch, 250-320 host, 320-350 launch, 350-600 kernel,
  // 600-800 copy, 800-850 sync, 850-900 host, 900-1000 call.
  EXPECT_DOUBLE_EQ(account.wall[Wall::call], 200);
  EXPECT_DOUBLE_EQ(account.wall[Wall::own], 170);
  EXPECT_DOUBLE_EQ(account.wall[Wall::launch], 130);
  EXPECT_DOUBLE_EQ(account.wall[Wall::kernel], 250);
  EXPECT_DOUBLE_EQ(account.wall[Wall::transfer], 200);
  EXPECT_DOUBLE_EQ(account.wall[Wall::sync], 50);
  EXPECT_DOUBLE_EQ(account.wall.total(), 1000);
}

TEST(Account, AQueueIsWaitingBehindEarlierWork) {
  RecordingData data = by_hand();
  data.events.push_back({260, 500, 1, 0, 0, 4, EventKind::copy_out, 0});
  data.events.push_back({500, 600, 1, 0, 0, 4, EventKind::copy_out, 0});
  const Account account = account_for(Recording(data));
  EXPECT_DOUBLE_EQ(account.steps[1].parts[Part::queue], 600 - 380);
}

TEST(Account, WorkOfNoNodeIsNotLost) {
  RecordingData data = by_hand();
  data.events.push_back({2000, 2100, 0, 0, 0, 3, EventKind::kernel, 0});
  data.events.push_back({700, 750, 1, 0, 0, 3, EventKind::kernel, 0});
  const Account account = account_for(Recording(data));
  EXPECT_DOUBLE_EQ(account.outside[Part::kernel], 100);
  EXPECT_DOUBLE_EQ(account.functions[0].other[Part::kernel], 50);
}

/// Sums that must hold for any recording.
void expect_sums(const Recording& recording) {
  const Account account = account_for(recording);
  const double length = static_cast<double>(recording.end() - recording.begin());
  EXPECT_NEAR(account.wall.total(), length, 1e-6 * length + 1e-6);

  const SideTimes kinds = time_by_node_kind(recording, account);
  const SideTimes resources = time_by_resource(account);
  EXPECT_NEAR(kinds.total(), resources.total(), 1e-6 * resources.total() + 1e-6);
  for (const GroupBy by : {GroupBy::op_class, GroupBy::op, GroupBy::apply, GroupBy::line}) {
    const std::vector<GroupRow> rows = group_nodes(recording, account, by);
    double percent = 0, time = 0;
    for (const GroupRow& row : rows) {
      percent += row.percent;
      time += row.parts.total();
    }
    EXPECT_NEAR(time, resources.total(), 1e-6 * time + 1e-6);
    if (resources.total() == 0) continue;
    EXPECT_NEAR(percent, 100, 1e-6);
    EXPECT_NEAR(rows.back().cumulative, 100, 1e-6);
  }
}

TEST(Account, EverySumHoldsForSyntheticRuns) {
  for (const char* device : {"cpu", "cuda0"}) {
    for (const bool fused : {true, false}) {
      SyntheticOptions options;
      options.device = device;
      options.fused = fused;
      expect_sums(Recording(synthetic_exp(options)));
      expect_sums(Recording(synthetic_logistic(options)));
    }
  }
}

TEST(Account, EverySumHoldsForRandomEvents) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 200; ++round) {
    RecordingData data = by_hand();
    data.events.clear();
    for (int i = 0; i < 60; ++i) {
      Event event;
      event.begin = static_cast<std::int64_t>(below(2000));
      event.end = event.begin + static_cast<std::int64_t>(below(300));
      event.kind = static_cast<EventKind>(below(event_kind_count));
      event.call = static_cast<std::uint32_t>(below(3));
      event.step = static_cast<std::uint32_t>(below(3));
      event.lane = static_cast<std::uint16_t>(1 + below(5));
      event.detail = static_cast<std::uint32_t>(below(2));
      data.events.push_back(event);
    }
    expect_sums(Recording(std::move(data)));
  }
}

TEST(Account, MediansAreOfCallsNotOfEvents) {
  SyntheticOptions options;
  options.calls = 101;
  options.jitter = 0;
  const Account account = account_for(Recording(synthetic_exp(options)));
  const NodeAccount& exp = account.functions[0].nodes[0];
  EXPECT_EQ(exp.calls, 101);
  EXPECT_DOUBLE_EQ(exp.median, 4'400 + 3'300);
  EXPECT_DOUBLE_EQ(exp.p90, exp.median);
  EXPECT_NEAR(exp.rate.gigabytes, 1'843'200 / 3'300.0, 1e-9);
  EXPECT_NEAR(exp.rate.roof, 1'843'200 / 3'300e-9 / 3.35e12, 1e-9);
  EXPECT_TRUE(exp.rate.memory_bound);
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(quantile({3}, 0.9), 3);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3, 2, 4}, 0.5), 3);
}

}  // namespace
}  // namespace hypatia
