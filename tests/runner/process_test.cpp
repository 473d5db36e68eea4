// Programs are run with a limit, and nothing of them is left.
#include "exercises/runner/process.h"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "tests/runner/scratch.h"

namespace hypatia::runner {

namespace {

Outcome shell(const std::string& script, double limit = 10) {
  Task task;
  task.words = {"sh", "-c", script};
  task.limit_seconds = limit;
  return run(task);
}

}  // namespace

TEST(Process, TellsOutputAndCode) {
  const Outcome outcome = shell("echo to out; echo to err >&2; exit 3");
  EXPECT_EQ(outcome.output, "to out\nto err\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_FALSE(outcome.good());
  EXPECT_TRUE(shell("true").good());
}

TEST(Process, TellsTheSignal) {
  EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
}

TEST(Process, AMissingProgramIsNotARun) {
  Task task;
  task.words = {"/no/such/program"};
  EXPECT_FALSE(run(task).started);
  EXPECT_FALSE(run(task).good());
}

TEST(Process, StopsAtTheLimitWithItsChildren) {
  const Scratch scratch;
  const std::string mark = (scratch.path / "alive").string();
  const Outcome outcome =
      shell("(sleep 2; touch '" + mark + "') & echo before; while true; do :; done", 0.3);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_LT(outcome.seconds, 2);
  EXPECT_EQ(outcome.output, "before\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_FALSE(std::filesystem::exists(mark)) << "a grandchild outlived its group";
}

TEST(Process, DoesNotWaitForWhatWasLeftBehind) {
  // The child ends at once; a grandchild keeps its pipe open.
  const Outcome outcome = shell("sleep 30 & echo done");
  EXPECT_EQ(outcome.output, "done\n");
  EXPECT_LT(outcome.seconds, 5);
}

TEST(Process, CutsEndlessOutput) {
  Task task;
  task.words = {"sh", "-c", "yes | head -c 3000000"};
  task.most_output = 1000;
  const Outcome outcome = run(task);
  EXPECT_EQ(outcome.output.size(), 1000U);
  EXPECT_TRUE(outcome.cut);
  EXPECT_TRUE(outcome.good());
}

TEST(Process, GivesAReportPipe) {
  Task task;
  task.words = {"bash", "-c", "echo verdict >&$HYPATIA_REPORT; echo {\\\"forged\\\":1}"};
  task.report = true;
  const Outcome outcome = run(task);
  EXPECT_EQ(outcome.report, "verdict\n");
  EXPECT_EQ(outcome.output, "{\"forged\":1}\n");
}

TEST(Process, ReplacesTheEnvironment) {
  ::setenv("HYPATIA_TEST_WORD", "old", 1);
  Task task;
  task.words = {"sh", "-c", "echo $HYPATIA_TEST_WORD"};
  task.environment = {{"HYPATIA_TEST_WORD", "new"}};
  EXPECT_EQ(run(task).output, "new\n");
  ::unsetenv("HYPATIA_TEST_WORD");
}

}  // namespace hypatia::runner
