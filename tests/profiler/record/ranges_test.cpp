// Nsight's view: a tool that listens to NVTX hears calls by function and steps by node.

#include "profiler/record/ranges.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/core/file.h"
#include "engine/trace/device_hooks.h"

#include "profiler/record/recorder.h"
#include "profiler/record/synthetic.h"
#include "tests/checkout.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

/// From here on this process has the tool; where it writes what it hears.
std::string listen(const Scratch& scratch) {
  setenv("NVTX_INJECTION64_PATH", tests::mock_nvtx().c_str(), 1);
  setenv("HYPATIA_MOCK_NVTX", scratch.file("heard").c_str(), 1);
  return scratch.file("heard");
}

/// Says what was heard, ranges or names, and ends the process. Threads are named at any time.
[[noreturn]] void tell(const std::string& heard, bool names) {
  std::istringstream lines(read_file(heard));
  for (std::string line; std::getline(lines, line);) {
    const bool is_name = line.find(" is ") != std::string::npos;
    if (is_name == names) std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::_Exit(0);
}

/// Two calls of exp on a GPU, heard by the tool; says what it heard, and ends the process.
[[noreturn]] void run_with_tool() {
  const Scratch scratch;
  const std::string heard = listen(scratch);
  const RecordingData data = synthetic_exp();
  Recorder recorder(scratch.file("a.hyp"), {.devices = false});
  const std::uint32_t function = recorder.add_function(data.functions[0]);
  PlanRecord plan = data.plans[0];
  plan.function = function;
  const std::uint32_t first = recorder.add_plan(plan);
  for (int i = 0; i < 2; ++i) {
    const Annotation epoch(recorder, "epoch " + std::to_string(i));
    const std::uint32_t call = recorder.begin_call(function);
    for (std::uint32_t step = first; step < first + 2; ++step) {
      recorder.begin_step(call, step);
      recorder.end_step(call, step, 1);
    }
    recorder.end_call(function, call, 1);
  }
  recorder.finish();
  tell(heard, false);
}

/// The same calls as one graph each, captured in the first; `calls` of them in a graph.
[[noreturn]] void replay_with_tool(int calls) {
  const Scratch scratch;
  const std::string heard = listen(scratch);
  const RecordingData data = synthetic_exp();
  Recorder recorder(scratch.file("a.hyp"), {.devices = false});
  PlanRecord plan = data.plans[0];
  plan.function = recorder.add_function(data.functions[0]);
  plan.steps.push_back({"replay", Side::gpu, {}, 0, 0, -1, ""});
  const std::uint32_t first = recorder.add_plan(plan), replay = first + 2;
  for (int round = 0; round < 2; ++round) {
    recorder.begin_step(1, replay);
    for (int i = 0; round == 0 && i < 2 * calls; ++i) {
      recorder.begin_captured(1, first + static_cast<std::uint32_t>(i % 2));
      recorder.end_captured();
    }
    recorder.end_step(1, replay, 1);
  }
  recorder.finish();
  tell(heard, false);
}

/// Names that the engine gives before and while a recorder listens.
[[noreturn]] void name_with_tool() {
  const Scratch scratch;
  const std::string heard = listen(scratch);
  int stream = 0;
  announce_stream(&stream, "hypatia cuda0");
  std::thread([] { name_this_thread("hypatia cpu 1"); }).join();
  Recorder recorder(scratch.file("a.hyp"), {.devices = false});
  recorder.end_call(1, 1, 1);
  recorder.finish();
  tell(heard, true);
}

/// NVTX asks for a tool once a process.
class ToolRangesDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tests::mock_nvtx())) {
      GTEST_SKIP() << "this build has no NVTX: the toolkit's nvtx3 headers were not found";
    }
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(ToolRangesDeathTest, NameCallsAndNodes) {
  EXPECT_EXIT(
      run_with_tool(),
      testing::ExitedWithCode(0),
      "epoch 0 \\{\nexp_test \\{\nGpuElemwise\\{exp,no_inplace\\} "
      "\\{\n\\}\nHostFromGpu\\(gpuarray\\) \\{\n\\}\n"
      "\\}\n\\}\nepoch 1 \\{\nexp_test \\{\n");
}

TEST_F(ToolRangesDeathTest, NameWhatIsInAGraph) {
  EXPECT_EXIT(
      replay_with_tool(1),
      testing::ExitedWithCode(0),
      "exp_test, one CUDA graph \\{\nGpuElemwise\\{exp,no_inplace\\} \\{\n\\}\n"
      "HostFromGpu\\(gpuarray\\) \\{\n\\}\n\\}\n"
      "exp_test, one CUDA graph: GpuElemwise\\{exp,no_inplace\\}, "
      "HostFromGpu\\(gpuarray\\) \\[2\\] \\{\n\\}\n");
  EXPECT_EXIT(
      replay_with_tool(3),
      testing::ExitedWithCode(0),
      "exp_test, one CUDA graph: GpuElemwise\\{exp,no_inplace\\}, "
      "HostFromGpu\\(gpuarray\\) \\[6\\] \\{\n");
}

TEST_F(ToolRangesDeathTest, NameStreamsAndThreads) {
  EXPECT_EXIT(
      name_with_tool(),
      testing::ExitedWithCode(0),
      "stream 0x[0-9a-f]+ is hypatia cuda0\na thread is hypatia cpu 1\n"
      "(.*\n)*the first thread is main thread\n");
}

TEST(ToolRanges, AreNotListenedToWithoutATool) {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("NVTX_INJECTION64_PATH");
    _exit(ToolRanges().listened() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hypatia
