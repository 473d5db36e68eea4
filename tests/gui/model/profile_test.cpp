// The sums that views show: each node's, each function's, and the wall clock's.

#include "gui/model/profile.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/model/compare.h"
#include "gui/model/graph_layout.h"
#include "gui/model/live_memory.h"
#include "gui/model/node_times.h"
#include "gui/model/queue.h"
#include "gui/model/roofs.h"
#include "gui/model/source_line.h"
#include "gui/model/what_if.h"
#include "profiler/analyze/critical_path.h"
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

RecordingData gpu_call() {
  RecordingData data = one_step(Side::gpu);
  data.events = {
      {0, 10'000, 1, 0, 1, 1, EventKind::call, 0},
      {1'000, 9'000, 1, 1, 0, 1, EventKind::step, 0},
      {2'000, 4'000, 1, 1, 0, 2, EventKind::launch, 0},
      {5'000, 8'000, 1, 1, 0, 3, EventKind::kernel, 0},
      {6'000, 8'500, 1, 1, 0, 4, EventKind::sync, 0}};
  return data;
}

TEST(Profile, SharesAMergedKernelAmongItsNodes) {
  const auto profile = profile_of(gpu_call());
  ASSERT_EQ(profile->nodes.size(), 2u);
  const NodeStats& first = profile->nodes[0];
  EXPECT_TRUE(first.approximate());
  EXPECT_DOUBLE_EQ(first.costs()[Part::kernel], 0.75 * 3'000);
  EXPECT_DOUBLE_EQ(first.costs()[Part::launch], 0.75 * 2'000);
  EXPECT_DOUBLE_EQ(profile->nodes[1].costs()[Part::kernel], 0.25 * 3'000);
  EXPECT_DOUBLE_EQ(profile->costs.gpu(), 3'000);
  EXPECT_EQ(first.calls(), 1);
}

TEST(Profile, WallClockPartsSumToTheWhole) {
  const auto profile = profile_of(gpu_call());
  EXPECT_DOUBLE_EQ(profile->account.wall.total(), profile->length());
}

TEST(Replay, WithoutSpeedUpsGivesWhatWasRecorded) {
  for (const char* name : {"exp-cuda", "logistic-cuda", "logistic-unfused", "logistic-cpu"}) {
    const auto profile = make_demo(name);
    const std::uint32_t call = median_call(*profile->recording, 1);
    const Replay replay(*profile->recording, call);
    ASSERT_FALSE(replay.empty()) << name;
    EXPECT_NEAR(replay.length({}), replay.recorded(), 1e-6 * replay.recorded()) << name;
  }
}

TEST(Replay, FasterTransfersShortenACallThatWaitsForThem) {
  const auto profile = make_demo("logistic-cuda");
  const Replay replay(*profile->recording, median_call(*profile->recording, 1));
  Speedups speedups;
  speedups.transfer = 10;
  const double faster = replay.length(speedups);
  EXPECT_LT(faster, replay.recorded() * 0.6) << "most of the call is transfer";
  EXPECT_GT(faster, replay.recorded() * 0.1) << "the rest of the call stays";
}

TEST(Replay, AFasterKernelHelpsOnlyWhereItIsWaitedFor) {
  RecordingData data = gpu_call();
  const auto profile = profile_of(std::move(data));
  const Replay replay(*profile->recording, 1);
  Speedups speedups;
  speedups.kernel = 1e6;
  EXPECT_NEAR(replay.length(speedups), 10'000 - 2'000, 1) << "the wait can't end before it began";
}

// Two streams: a copy beside a kernel that has nothing to do with it, and one that reads its
// result.
RecordingData two_streams(bool reads) {
  RecordingData data = one_step(Side::gpu);
  data.plans[0].steps[0].nodes = {{0, 1}};
  StepRecord copy;
  copy.side = Side::transfer;
  copy.nodes = {{1, 1}};
  data.plans[0].steps.push_back(copy);
  if (reads) data.functions[0].nodes[1].inputs = {{0, 0, "", ""}};
  data.lanes.push_back({LaneRecord::Kind::copy_out, "cuda0", 8, "copies"});
  data.events = {
      {0, 10'000, 1, 0, 1, 1, EventKind::call, 0},
      {1'000, 1'500, 1, 1, 0, 2, EventKind::launch, 0},
      {2'000, 2'500, 1, 2, 0, 2, EventKind::launch, 0},
      {2'000, 5'000, 1, 1, 0, 3, EventKind::kernel, 0},
      {5'500, 9'000, 1, 2, 0, 5, EventKind::copy_out, 0},
      {5'200, 9'500, 1, 2, 0, 4, EventKind::sync, 0}};
  return data;
}

TEST(Replay, WorkWaitsForWhatMadeItsInputsAndForNothingElseOfOtherStreams) {
  Speedups speedups;
  speedups.kernel = 1e6;
  for (const bool reads : {false, true}) {
    const auto profile = profile_of(two_streams(reads));
    const Replay replay(*profile->recording, 1);
    ASSERT_FALSE(replay.empty());
    EXPECT_NEAR(replay.length({}), 10'000, 1);
    const double faster = replay.length(speedups);
    if (reads)
      EXPECT_NEAR(faster, 10'000 - 3'000, 300) << "the copy waits for the kernel's result";
    else
      EXPECT_NEAR(faster, 10'000, 1) << "the copy never waited for that kernel";
  }
}

TEST(LiveMemory, IsThePlansAtEachStep) {
  const auto profile = make_demo("logistic-cuda");
  const Recording& recording = *profile->recording;
  const LiveMemory memory(recording);
  ASSERT_GE(memory.track(), 0);
  const MemoryAnalysis whole = analyze_memory(recording, recording.plans()[0]);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < whole.live.size(); ++i) {
    const LiveBytes bytes = memory.during(static_cast<std::uint32_t>(i + 1));
    EXPECT_EQ(bytes.total(), whole.live[i].total());
    most = std::max(most, bytes.total());
  }
  EXPECT_EQ(memory.peak(1).total(), most);
  EXPECT_EQ(memory.most().total(), most);
  EXPECT_EQ(memory.during(0).total(), 0);
  EXPECT_EQ(memory.during(1'000'000).total(), 0);
}

TEST(SourceLine, IsFoundFromTheProgramsFolderOn) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("hypatia-source-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "exercises");
  std::filesystem::create_directories(folder / "build/bin");
  std::ofstream(folder / "exercises/e.cpp") << "one\n  two\n    three\n  four\n";
  RecordingHeader header;
  header.program = (folder / "build/bin/program").string();
  const auto lines = source_lines(header, {"../../exercises/e.cpp", "main", 3}, 1);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text, "two");
  EXPECT_EQ(lines[1].text, "  three");
  EXPECT_EQ(lines[1].number, 3u);
  EXPECT_TRUE(source_lines(header, {"../../exercises/e.cpp", "main", 30}, 1).empty());
  EXPECT_TRUE(source_lines(header, {"absent.cpp", "main", 1}, 1).empty());
  EXPECT_TRUE(source_lines(header, {"/dev/zero", "main", 1}, 1).empty());
  std::filesystem::remove_all(folder);
}

TEST(Roofs, AreOfMemoryAndOfCaches) {
  const std::vector<Roof> roofs = roofs_of(*make_demo("logistic-cpu")->recording);
  ASSERT_EQ(roofs.size(), 1U);
  EXPECT_EQ(roofs[0].side, Side::cpu);
  EXPECT_GT(roofs[0].cache, roofs[0].bandwidth);
  EXPECT_EQ(roofs[0].at(1e-3), roofs[0].bandwidth * 1e-3);
}

TEST(Roofs, NoNodeOfTheDemosStandsAboveTheRoofItIsMeasuredAgainst) {
  const auto profile = make_demo("logistic-cuda");
  const std::vector<Roof> roofs = roofs_of(*profile->recording);
  ASSERT_FALSE(roofs.empty());
  int dots = 0;
  for (int i = 0; i < static_cast<int>(profile->nodes.size()); ++i) {
    const RoofDot dot = roof_dot(*profile, i);
    if (dot.node < 0) continue;
    ++dots;
    EXPECT_GT(dot.intensity, 0);
    EXPECT_LE(dot.flops, roofs[0].flops * 1.5) << profile->node(i).record->name;
  }
  EXPECT_GT(dots, 2);
}

TEST(NodeTimes, HistogramHoldsEveryRun) {
  const auto profile = make_demo("logistic-cuda");
  for (const bool logarithmic : {false, true}) {
    const NodeTimes times = node_times(*profile, 2);
    ASSERT_EQ(times.runs.size(), 100u);
    double sum = 0;
    for (const double count : make_histogram(times, 40, logarithmic).counts)
      sum += count;
    EXPECT_EQ(sum, 100);
    EXPECT_LE(times.least, times.median);
    EXPECT_LE(times.median, times.p90);
    EXPECT_LE(times.p90, times.most);
  }
}

TEST(Compare, TwiceAsFastIsSaid) {
  SyntheticOptions slow, fast;
  slow.jitter = fast.jitter = 0;
  fast.speed = 2;
  const auto before = profile_of(synthetic_logistic(slow));
  const auto after = profile_of(synthetic_logistic(fast));
  const ComparedProfiles comparison = compare(*before, *after);
  ASSERT_FALSE(comparison.nodes.empty());
  EXPECT_NEAR(comparison.nodes[0].time_before / comparison.nodes[0].time_after, 2, 0.3);
  EXPECT_EQ(comparison.nodes[0].change, Change::faster);
  EXPECT_NE(comparison.verdict.find("as fast as"), std::string::npos) << comparison.verdict;
  EXPECT_EQ(comparison.verdict.find("spread"), std::string::npos) << comparison.verdict;
}

TEST(Compare, ChanceIsNoChange) {
  SyntheticOptions quiet, noisy;
  noisy.jitter = 12;
  const ComparedProfiles comparison =
      compare(*profile_of(synthetic_logistic(quiet)), *profile_of(synthetic_logistic(noisy)));
  EXPECT_NE(comparison.verdict.find("within the spread"), std::string::npos) << comparison.verdict;
  for (const ComparedNode& node : comparison.nodes) {
    EXPECT_EQ(node.change, Change::same);
    EXPECT_GE(node.pair.left, 0);
    EXPECT_GE(node.pair.right, 0);
  }
}

TEST(Compare, AFunctionOfOneRecordingIsAddedOrRemoved) {
  const auto one = make_demo("exp-cpu"), other = make_demo("logistic-cpu");
  const ComparedProfiles comparison = compare(*one, *other);
  EXPECT_EQ(comparison.nodes.size(), one->nodes.size() + other->nodes.size());
  for (const ComparedNode& node : comparison.nodes)
    EXPECT_EQ(node.change, node.pair.left < 0 ? Change::added : Change::removed);
}

TEST(QueueCurve, CountsWhatWasLaunchedAndIsNotDone) {
  RecordingData data = one_step(Side::gpu);
  data.events = {
      {0, 1'000, 1, 0, 1, 1, EventKind::call, 0},
      {0, 100, 1, 1, 0, 2, EventKind::launch, 0},
      {500, 900, 1, 1, 0, 3, EventKind::kernel, 0},
      {1'000, 2'000, 2, 0, 1, 1, EventKind::call, 0},
      {800, 850, 2, 1, 0, 2, EventKind::launch, 0},
      {900, 1'000, 2, 1, 0, 3, EventKind::kernel, 0}};
  const QueueCurve curve = queue_curve(Recording(std::move(data)), 20);
  EXPECT_EQ(curve.longest, 2);
  EXPECT_TRUE(curve.whole);
  EXPECT_EQ(curve.most[0], 1) << "launched";
  EXPECT_EQ(curve.most[4], 1) << "still";
  EXPECT_EQ(curve.most[8], 2) << "and the second";
  EXPECT_EQ(curve.most[15], 0) << "all done";
}

TEST(GraphLayout, EdgesLeadToLaterLayersAndBoxesDoNotMeet) {
  for (const char* name : {"exp-cuda", "logistic-cuda", "logistic-cpu"}) {
    const auto profile = make_demo(name);
    const GraphLayout layout = lay_out(*profile, 0, false, [](int) { return false; });
    for (const GraphEdge& edge : layout.edges)
      EXPECT_LT(
          layout.boxes[static_cast<std::size_t>(edge.from)].layer,
          layout.boxes[static_cast<std::size_t>(edge.to)].layer);
    for (const GraphBox& a : layout.boxes)
      for (const GraphBox& b : layout.boxes)
        EXPECT_TRUE(&a == &b || a.layer != b.layer || std::abs(a.row - b.row) > 0.99F) << name;
  }
}

namespace {

// A loop whose body holds a fused node, and a fused node beside it.
std::shared_ptr<const Profile> nested_profile() {
  RecordingData data = synthetic_logistic({.calls = 2});
  std::vector<NodeRecord>& nodes = data.functions[0].nodes;
  const auto first = static_cast<std::int32_t>(nodes.size());
  for (int i = 0; i < 3; ++i) {
    NodeRecord inner;
    inner.name = "inner" + std::to_string(i);
    inner.parent = 1;
    inner.inputs = {{i == 0 ? -1 : first + i - 1, 0, "x", ""}};
    nodes.push_back(inner);
  }
  for (NodeRecord* fused : {&nodes[3], &nodes.back()}) {
    fused->inputs.resize(1);
    fused->body = {{"exp", {0}, -1, 30}, {"neg", {0}, -1, 0}, {"add", {1, 2}, 0, 10}};
  }
  return profile_of(std::move(data));
}

// No two boxes of a drawing meet, bodies stand within their boxes, and shares sum to the whole.
void expect_tidy(const GraphLayout& layout, int depth) {
  ASSERT_LT(depth, 3);
  for (const GraphBox& a : layout.boxes) {
    EXPECT_GE(a.at, 0);
    EXPECT_GE(a.row, -1e-3F);
    EXPECT_LE(a.at + a.deep, layout.deep + 1e-3F);
    EXPECT_LE(a.row + a.tall, layout.tall + 1e-3F);
    for (const GraphBox& b : layout.boxes) {
      const bool apart = a.at + a.deep <= b.at + 1e-3F || b.at + b.deep <= a.at + 1e-3F ||
                         a.row + a.tall <= b.row + 1e-3F || b.row + b.tall <= a.row + 1e-3F;
      EXPECT_TRUE(&a == &b || apart) << a.name << " and " << b.name;
    }
    for (const GraphLayout& body : a.body) {
      EXPECT_LT(body.deep, a.deep);
      EXPECT_LT(body.tall, a.tall);
      double shares = 0;
      for (const GraphBox& inner : body.boxes)
        shares += inner.op >= 0 ? inner.share : 0;
      if (body.boxes[0].op >= 0) {
        EXPECT_NEAR(shares, 1, 1e-12);
      }
      expect_tidy(body, depth + 1);
    }
  }
}

}  // namespace

TEST(GraphLayout, OpenBodiesStandInsideTheirBoxes) {
  const auto profile = nested_profile();
  const GraphLayout closed = lay_out(*profile, 0, false, [](int) { return false; });
  const GraphLayout open = lay_out(*profile, 0, false, [](int) { return true; });
  expect_tidy(closed, 0);
  expect_tidy(lay_out(*profile, 0, true, [](int) { return true; }), 0);
  expect_tidy(open, 0);
  EXPECT_EQ(open.boxes.size(), closed.boxes.size()) << "what is inside is not also outside";
  const auto inside = [&](int node) {
    return std::find_if(open.boxes.begin(), open.boxes.end(), [&](const GraphBox& box) {
      return box.node == node && !box.body.empty();
    });
  };
  ASSERT_NE(inside(3), open.boxes.end());
  EXPECT_EQ(inside(3)->inside, 3);
  ASSERT_NE(inside(1), open.boxes.end());
  const GraphLayout& loop = inside(1)->body[0];
  EXPECT_TRUE(std::any_of(loop.boxes.begin(), loop.boxes.end(), [](const GraphBox& box) {
    return !box.body.empty();
  })) << "a fused node of a loop's body opens too";
  const GraphBox& exp = inside(3)->body[0].boxes[0];
  EXPECT_EQ(exp.name, "exp");
  EXPECT_DOUBLE_EQ(exp.share, 0.75);
}

TEST(GraphLayout, SurvivesDamagedRecords) {
  RecordingData data = one_step(Side::cpu);
  data.functions[0].nodes[0].inputs = {{1, 0, "", ""}, {77, 0, "", ""}};
  data.functions[0].nodes[1].inputs = {{0, 0, "", ""}};
  data.functions[0].nodes[1].parent = 1;
  EXPECT_NO_THROW({
    const auto profile = profile_of(std::move(data));
    lay_out(*profile, 0, false, [](int) { return false; });
    lay_out(*profile, 0, false, [](int) { return true; });
  });
}

TEST(Profile, EmptyRecordingsGiveAVerdict) {
  const auto profile = profile_of({});
  EXPECT_TRUE(profile->nodes.empty());
  EXPECT_FALSE(profile->verdict.empty());
  EXPECT_EQ(profile->length(), 0);
}

TEST(Profile, TheVerdictIsDrawnFromTheClock) {
  for (const std::string& name : demo_names()) {
    const auto profile = make_demo(name);
    const WallTimes& wall = profile->account.wall;
    const double cpu = wall[Wall::own] + wall[Wall::call];
    const auto largest = std::max({wall[Wall::kernel], wall[Wall::transfer], cpu});
    const char* what = largest == cpu                  ? "work on the CPU"
                       : largest == wall[Wall::kernel] ? "work on the GPU"
                                                       : "transfer";
    EXPECT_NE(profile->verdict.find(what), std::string::npos) << name << ": " << profile->verdict;
  }
}

TEST(Profile, FunctionsSumToTheWhole) {
  for (const std::string& name : demo_names()) {
    if (name == "large") continue;
    const auto profile = make_demo(name);
    double sum = 0;
    for (const NodeStats& node : profile->nodes)
      sum += node.costs().total();
    EXPECT_NEAR(sum, profile->costs.total(), 1e-6 * sum) << name << ": no work is of no node";
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
