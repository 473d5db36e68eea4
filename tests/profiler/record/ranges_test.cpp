// Nsight's view: a tool that listens to NVTX hears calls by function and steps by node.

#include "profiler/record/ranges.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/file.h"

#include "profiler/record/recorder.h"
#include "profiler/record/synthetic.h"
#include "tests/checkout.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

/// Two calls of exp on a GPU, heard by the tool; says what it heard, and ends the process.
[[noreturn]] void run_with_tool() {
  const Scratch scratch;
  setenv("NVTX_INJECTION64_PATH", tests::mock_nvtx().c_str(), 1);
  setenv("HYPATIA_MOCK_NVTX", scratch.file("heard").c_str(), 1);
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
  std::fputs(read_file(scratch.file("heard")).c_str(), stderr);
  std::_Exit(0);
}

/// NVTX asks for a tool once a process.
TEST(ToolRangesDeathTest, NameCallsAndNodes) {
  if (!std::filesystem::exists(tests::mock_nvtx())) {
    GTEST_SKIP() << "this build has no NVTX: the toolkit's nvtx3 headers were not found";
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      run_with_tool(),
      testing::ExitedWithCode(0),
      "epoch 0 \\{\nexp_test \\{\nGpuElemwise\\{exp,no_inplace\\} "
      "\\{\n\\}\nHostFromGpu\\(gpuarray\\) \\{\n\\}\n"
      "\\}\n\\}\nepoch 1 \\{\nexp_test \\{\n");
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
