// The recorder: what it hears is in the file, also after a kill, on a full disk and from many
// threads, and hearing costs little.

#include "profiler/record/recorder.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include "engine/core/error.h"
#include "engine/trace/clock.h"
#include "engine/trace/span.h"

#include "profiler/record/synthetic.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

/// Registers the cpu's exp test; returns the function's id and, in `step`, its only step's.
std::uint32_t register_exp(Recorder& recorder, std::uint32_t& step) {
  // Kept: origins name files for as long as the program runs.
  static const RecordingData data = synthetic_exp({.device = "cpu", .calls = 1});
  const std::uint32_t function = recorder.add_function(data.functions[0]);
  PlanRecord plan = data.plans[0];
  plan.function = function;
  step = recorder.add_plan(plan);
  return function;
}

void run_calls(Recorder& recorder, std::uint32_t function, std::uint32_t step, int calls) {
  for (int i = 0; i < calls; ++i) {
    const std::int64_t begin = now();
    const std::uint32_t call = recorder.begin_call(function);
    const std::int64_t step_begin = now();
    recorder.begin_step(call, step);
    recorder.end_step(call, step, step_begin);
    recorder.end_call(function, call, begin);
  }
}

TEST(Recorder, WritesWhatItHears) {
  const Scratch scratch;
  setenv("HYPATIA_EXERCISE", "01_exp_test", 1);
  setenv("HYPATIA_ROLE", "solution", 1);
  {
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    EXPECT_EQ(function, 1u);
    EXPECT_EQ(step, 1u);
    run_calls(recorder, function, step, 1000);
    { const Span span(&recorder, EventKind::compile); }
    { const Annotation mark(recorder, "epoch 1"); }
  }
  unsetenv("HYPATIA_EXERCISE");
  unsetenv("HYPATIA_ROLE");
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_TRUE(recording->header().closed);
  EXPECT_EQ(recording->header().exercise, "01_exp_test");
  EXPECT_EQ(recording->header().role, "solution");
  EXPECT_EQ(recording->header().program, "profiler_tests");
  EXPECT_GT(recording->header().event_cost, 0);
  EXPECT_EQ(recording->event_count(), 2002u);
  EXPECT_EQ(recording->calls().size(), 1000u);
  EXPECT_EQ(recording->calls()[999].number, 1000u);
  ASSERT_EQ(recording->tracks_of(1).size(), 2u);
  EXPECT_EQ(recording->tracks_of(1)[1].events().size(), 1000u);
  EXPECT_EQ(recording->name_of(recording->tracks_of(1)[0].events().back()), "epoch 1");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.hyp-wal")));
}

TEST(Recorder, IsReadableWhileItRuns) {
  const Scratch scratch;
  Recorder recorder(scratch.file("a.hyp"));
  std::uint32_t step = 0;
  const std::uint32_t function = register_exp(recorder, step);
  run_calls(recorder, function, step, 5000);
  recorder.flush();
  const auto early = Recording::open(scratch.file("a.hyp"));
  EXPECT_EQ(early->calls().size(), 5000u);
  EXPECT_FALSE(early->header().closed);
  run_calls(recorder, function, step, 3000);
  recorder.flush();
  EXPECT_EQ(Recording::open(scratch.file("a.hyp"))->calls().size(), 8000u);
  recorder.finish();
  run_calls(recorder, function, step, 10);
  EXPECT_EQ(Recording::open(scratch.file("a.hyp"))->calls().size(), 8000u);
}

TEST(Recorder, KeepsThreadsApart) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] { run_calls(recorder, function, step, 20'000); });
    }
    for (std::thread& thread : threads)
      thread.join();
  }
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_EQ(recording->lanes().size(), 4u);
  EXPECT_EQ(recording->event_count(), 160'000u);
  EXPECT_EQ(recording->header().dropped, 0);
  for (std::uint32_t number = 1; number <= 80'000; ++number) {
    ASSERT_NE(recording->call(number), nullptr) << number;
  }
}

TEST(Recorder, CountsWhatFindsNoRoom) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"), {.most_waiting_events = 4096});
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    run_calls(recorder, function, step, 100'000);
  }
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_GT(recording->header().dropped, 0);
  EXPECT_EQ(
      static_cast<std::int64_t>(recording->event_count()) + recording->header().dropped, 200'000);
}

TEST(Recorder, FollowsItsSchedule) {
  const Scratch scratch;
  {
    Recorder recorder(
        scratch.file("a.hyp"), {.schedule = {.wait = 2, .warm_up = 1, .active = 3, .repeat = 2}});
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    run_calls(recorder, function, step, 20);
  }
  const auto recording = Recording::open(scratch.file("a.hyp"));
  std::vector<std::uint32_t> numbers;
  for (const Call& call : recording->calls())
    numbers.push_back(call.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{4, 5, 6, 10, 11, 12}));
  EXPECT_EQ(recording->header().call_count, 20);
}

TEST(Recorder, LeavesTheFirstCallOfEachFunctionOut) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"), {.ignore_first_calls = true});
    std::uint32_t step = 0;
    const std::uint32_t first = register_exp(recorder, step);
    run_calls(recorder, first, step, 3);
    const std::uint32_t second = register_exp(recorder, step);
    run_calls(recorder, second, step, 2);
    run_calls(recorder, first, step, 1);
  }
  const auto recording = Recording::open(scratch.file("a.hyp"));
  std::vector<std::uint32_t> numbers;
  for (const Call& call : recording->calls())
    numbers.push_back(call.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{2, 3, 5, 6}));
  EXPECT_EQ(recording->header().call_count, 6);
}

TEST(Recorder, KeepsTheLastCallsOnly) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"), {.last_calls = 5000});
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    for (int i = 0; i < 20; ++i) {
      run_calls(recorder, function, step, 10'000);
      recorder.flush();
    }
  }
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_EQ(recording->calls().back().number, 200'000u);
  EXPECT_GE(recording->calls().size(), 5000u);
  // Whole blocks are dropped, so a block's worth of older calls may remain.
  EXPECT_LE(recording->calls().size(), 5000u + 4096u);
}

TEST(Recorder, StopsAndStarts) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    recorder.stop();
    run_calls(recorder, function, step, 10);
    recorder.start();
    run_calls(recorder, function, step, 5);
  }
  EXPECT_EQ(Recording::open(scratch.file("a.hyp"))->calls().size(), 5u);
}

TEST(Recorder, SaysWhereItCannotWrite) {
  EXPECT_THROW(Recorder("/nowhere/at/all.hyp"), Error);
}

#if defined(__SANITIZE_THREAD__)
#define HYPATIA_SKIP_FORK() \
  GTEST_SKIP() << "the thread sanitizer follows no program with threads through a fork"
#else
#define HYPATIA_SKIP_FORK()
#endif

/// Runs `body` in a child process; returns how it ended.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Recorder, SurvivesAKill) {
  HYPATIA_SKIP_FORK();
  const Scratch scratch;
  const int status = in_child([&] {
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    run_calls(recorder, function, step, 50'000);
    recorder.flush();
    run_calls(recorder, function, step, 50'000);
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(scratch.file("a.hyp-wal")));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_FALSE(recording->header().closed);
  EXPECT_GE(recording->calls().size(), 50'000u);
  EXPECT_EQ(recording->functions()[0].name, "exp_test");
}

TEST(Recorder, AFullDiskEndsTheRecordingNotTheRun) {
  HYPATIA_SKIP_FORK();
  const Scratch scratch;
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2 << 20, 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    for (int i = 0; i < 4; ++i) {
      run_calls(recorder, function, step, 50'000);
      recorder.flush();
    }
    recorder.finish();
    const std::vector<std::string> messages = recorder.messages();
    const bool told =
        messages.size() == 1 && messages[0].find("the disk gave out") != std::string::npos;
    _exit(told ? 7 : 8);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_EQ(recording->functions().size(), 1u);
}

TEST(Recorder, AForkedChildLeavesTheFileAlone) {
  const Scratch scratch;
  {
    Recorder recorder(scratch.file("a.hyp"));
    std::uint32_t step = 0;
    const std::uint32_t function = register_exp(recorder, step);
    run_calls(recorder, function, step, 10);
    const int status = in_child([&] {
      run_calls(recorder, function, step, 10);
      recorder.finish();
    });
    EXPECT_EQ(status, 0);
    run_calls(recorder, function, step, 10);
  }
  EXPECT_EQ(Recording::open(scratch.file("a.hyp"))->calls().size(), 20u);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double slower = 20;  // what a sanitizer's own work may cost
#else
constexpr double slower = 1;
#endif

/// The promise is 100 ns a step; a busy machine gets five times that before the test fails.
TEST(Recorder, AStepCostsUnderAHundredNanoseconds) {
  const Scratch scratch;
  Recorder recorder(scratch.file("a.hyp"));
  std::uint32_t step = 0;
  const std::uint32_t function = register_exp(recorder, step);
  const std::uint32_t call = recorder.begin_call(function);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    constexpr int steps = 20'000;
    const std::int64_t begin = now();
    for (int i = 0; i < steps; ++i) {
      recorder.begin_step(call, step);
      recorder.end_step(call, step, begin);
    }
    best = std::min(best, static_cast<double>(now() - begin) / steps);
  }
  RecordProperty("nanoseconds", std::to_string(best));
  std::printf("a step costs %.0f ns\n", best);
  EXPECT_LT(best, 500 * slower);
}

}  // namespace
}  // namespace hypatia
