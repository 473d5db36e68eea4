// From driver records to a file: a recorder that hears of a cuda function attaches the tracer, and
// the closed recording has the device's lanes, attributed and in proportion.

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/trace/clock.h"
#include "engine/trace/device_hooks.h"

#include "profiler/analyze/account.h"
#include "profiler/record/recorder.h"
#include "profiler/record/synthetic.h"
#include "profiler/report/chrome_trace.h"
#include "profiler/report/text.h"
#include "tests/checkout.h"
#include "tests/profiler/cupti/mock/mock_cupti.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

/// A program of 300 calls on "cuda0": a kernel, then a copy that is waited for.
void run_program(const std::string& path) {
  setenv("HYPATIA_CUPTI_DIR", tests::mock_cupti().c_str(), 1);
  void* mock = dlopen((tests::mock_cupti() + "/libcupti.so").c_str(), RTLD_NOW);
  const auto launch =
      reinterpret_cast<decltype(&mock_cupti_launch)>(dlsym(mock, "mock_cupti_launch"));
  const auto copy = reinterpret_cast<decltype(&mock_cupti_copy)>(dlsym(mock, "mock_cupti_copy"));
  const RecordingData data = synthetic_exp();
  Recorder recorder(path);
  const std::uint32_t function = recorder.add_function(data.functions[0]);
  PlanRecord plan = data.plans[0];
  plan.function = function;
  const std::uint32_t first = recorder.add_plan(plan);
  {
    const WorkOwner owner("shared variable", "x");
    copy(1, 921'600, 17'000);
  }
  for (int i = 0; i < 300; ++i) {
    const std::int64_t begin = now();
    const std::uint32_t call = recorder.begin_call(function);
    std::int64_t step_begin = now();
    recorder.begin_step(call, first);
    launch("exp", 7, 3300);
    recorder.end_step(call, first, step_begin);
    step_begin = now();
    recorder.begin_step(call, first + 1);
    copy(2, 921'600, 17'000);
    recorder.end_step(call, first + 1, step_begin);
    recorder.end_call(function, call, begin);
  }
}

int exit_of(const std::string& path, void (*body)(const std::string&)) {
  const pid_t child = fork();
  if (child == 0) {
    body(path);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(RecordedTrace, HoldsEveryKernelAndCopyByNode) {
  const Scratch scratch;
  ASSERT_EQ(exit_of(scratch.file("a.hyp"), run_program), 0);
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_TRUE(recording->header().messages.empty());
  EXPECT_EQ(recording->header().unattributed, 0);
  EXPECT_EQ(recording->header().disagreements, 0);
  EXPECT_GT(recording->header().clock_error, 0);
  const Account account = account_for(*recording);
  const NodeAccount& exp = account.functions[0].nodes[0];
  EXPECT_EQ(exp.calls, 300);
  EXPECT_NEAR(exp.parts[Part::kernel], 300 * 3300, 300 * 3);
  EXPECT_NEAR(account.functions[0].nodes[1].parts[Part::copy_out], 300 * 17'000, 300 * 3);
  EXPECT_EQ(account.functions[0].launches, 600);
  EXPECT_DOUBLE_EQ(account.functions[0].other.total(), 0);
  EXPECT_NE(
      text_report(*recording).find("1x copy in of shared variable x (921600 bytes)"),
      std::string::npos);
  bool found = false;
  for (const LaneRecord& lane : recording->lanes())
    found |= lane.name == "cuda0 stream 7";
  EXPECT_TRUE(found);
}

/// A program of 300 calls on "cuda0": one is submitted step by step, the second captures its steps
/// as a graph of two nodes, which it and the others replay.
void run_replays(const std::string& path) {
  setenv("HYPATIA_CUPTI_DIR", tests::mock_cupti().c_str(), 1);
  void* mock = dlopen((tests::mock_cupti() + "/libcupti.so").c_str(), RTLD_NOW);
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(mock, name));
  };
  decltype(&mock_cupti_launch) launch = nullptr;
  decltype(&mock_cupti_graph_node) node = nullptr;
  decltype(&mock_cupti_clone_node) clone = nullptr;
  decltype(&mock_cupti_launch_graph) launch_graph = nullptr;
  get(launch, "mock_cupti_launch");
  get(node, "mock_cupti_graph_node");
  get(clone, "mock_cupti_clone_node");
  get(launch_graph, "mock_cupti_launch_graph");
  const RecordingData data = synthetic_exp();
  Recorder recorder(path);
  const std::uint32_t function = recorder.add_function(data.functions[0]);
  PlanRecord plan = data.plans[0];
  plan.function = function;
  plan.steps.push_back({"replay", Side::gpu, {}, 0, 0, -1, ""});
  const std::uint32_t first = recorder.add_plan(plan), replay = first + 2;
  if (!recorder.follows_replays()) _exit(2);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t begin = now();
    const std::uint32_t call = recorder.begin_call(function);
    if (i == 0) {
      for (const std::uint32_t step : {first, first + 1}) {
        const std::int64_t step_begin = now();
        recorder.begin_step(call, step);
        launch("exp", 7, 600);
        recorder.end_step(call, step, step_begin);
      }
    } else {
      recorder.begin_step(call, replay);
      for (std::uint32_t step = 0; i == 1 && step < 2; ++step) {
        recorder.begin_captured(call, first + step);
        node(100 + step);
        recorder.end_captured();
        clone(200 + step, 100 + step);
      }
      launch_graph(200, 2, 600);
      recorder.end_step(call, replay, begin);
    }
    recorder.end_call(function, call, begin);
  }
}

TEST(RecordedTrace, HoldsEveryKernelOfReplaysByNode) {
  const Scratch scratch;
  ASSERT_EQ(exit_of(scratch.file("a.hyp"), run_replays), 0);
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_EQ(recording->header().unattributed, 0);
  EXPECT_EQ(recording->header().disagreements, 0);
  const Account account = account_for(*recording);
  ASSERT_EQ(account.functions[0].nodes.size(), 2U);
  for (const NodeAccount& node : account.functions[0].nodes) {
    EXPECT_EQ(node.calls, 300);
    EXPECT_NEAR(node.parts[Part::kernel], 300 * 600, 300 * 3);
  }
  // Submitting the whole is no node's work.
  EXPECT_GT(account.functions[0].other[Part::launch], 0);
  EXPECT_DOUBLE_EQ(account.functions[0].other[Part::kernel], 0);
  EXPECT_EQ(account.functions[0].launches, 2 + 299);
  EXPECT_EQ(trace_problem(chrome_trace(*recording)), "");
  EXPECT_NEAR(
      account.wall.total(),
      static_cast<double>(recording->end() - recording->begin()),
      1e-6 * static_cast<double>(recording->end() - recording->begin()));
}

void run_without_library(const std::string& path) {
  setenv("HYPATIA_CUPTI_DIR", "/nowhere", 1);
  const RecordingData data = synthetic_exp();
  Recorder recorder(path);
  recorder.add_function(data.functions[0]);
}

TEST(RecordedTrace, SaysWhyTheDeviceIsMissing) {
  const Scratch scratch;
  ASSERT_EQ(exit_of(scratch.file("a.hyp"), run_without_library), 0);
  const auto recording = Recording::open(scratch.file("a.hyp"));
  ASSERT_EQ(recording->header().messages.size(), 1u);
  EXPECT_NE(recording->header().messages[0].find("GPU lanes need libcupti"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
