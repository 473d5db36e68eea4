// The interpreter answers while the compiler runs, and where there is none. What depends on the
// compiler that a process uses is a program of its own: this test program again.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/core/warning.h"

#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

using tests::TemporaryFolder;

/// A compiler that does nothing before it is let go.
std::string slow_compiler(const TemporaryFolder& folder) {
  const std::string path = folder.write(
      "cc",
      "#!/bin/sh\ncase \"$*\" in *-shared*) touch " + folder / "started" + "; while [ ! -e " +
          folder / "go" + " ]; do sleep 0.01; done;; esac\nexec cc \"$@\"\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string flags_with(const TemporaryFolder& folder, const std::string& compiler) {
  return "cxx=" + compiler + ",base_compiledir=" + folder / "cache";
}

/// Starts one of the programs below with these flags.
pid_t start(const std::string& program, const std::string& flags, const TemporaryFolder& folder) {
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  setenv("HYPATIA_FLAGS", flags.c_str(), 1);
  setenv("HYPATIA_TEST_FOLDER", (folder / "").c_str(), 1);
  const std::string filter = "--gtest_filter=InterpretedProgram.DISABLED_" + program;
  if (!std::freopen((folder / "log").c_str(), "w", stdout) ||
      !std::freopen((folder / "log").c_str(), "a", stderr)) {
    _exit(3);
  }
  execl(
      "/proc/self/exe", "engine_tests", "--gtest_also_run_disabled_tests", filter.c_str(), nullptr);
  _exit(4);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_good(pid_t child, const TemporaryFolder& folder) {
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text_of(folder / "log");
}

bool wait_for_file(const std::string& path) {
  for (int round = 0; round < 1000; ++round) {
    if (std::filesystem::exists(path)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string given(const char* name) {
  return std::getenv("HYPATIA_TEST_FOLDER") + std::string(name);
}

/// Loops, sums and a product, so that every kind of step runs.
struct Small {
  Variable x = matrix("x", DType::float64);
  Function f = function({x}, {exp(x) + 1, sum(x* x), dot(x, x.T())}, {.name = "small"});
  Array value = RandomState(1).rand({7, 5});

  void expect_right() {
    const Results r = f(value);
    double squares = 0;
    const std::vector<double> in = value.to_vector(), out = r[0].to_vector();
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_NEAR(out[i], std::exp(in[i]) + 1, 1e-12);
      squares += in[i] * in[i];
    }
    EXPECT_NEAR(r[1].item(), squares, 1e-12);
    EXPECT_NEAR(r[2].to_vector()[0] > 0, true, 0);
  }
};

TEST(InterpretedProgram, DISABLED_CallsBeforeTheCompilerIsDone) {
  Small small;
  const auto calls_until = [&](const std::string& file) {
    // A busy machine takes its time to start a compiler.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end && !std::filesystem::exists(file))
      small.expect_right();
    return std::filesystem::exists(file);
  };
  const bool started = calls_until(given("started"));
  small.expect_right();  // the compiler can't have finished
  std::ofstream(given("go")) << "go";
  ASSERT_TRUE(started);
  small.f = Function();  // dropping a function waits for its compilers
  EXPECT_FALSE(std::filesystem::is_empty(given("cache")));
}

TEST(Interpreted, AnswersWhileTheCompilerRuns) {
  const TemporaryFolder folder;
  const std::string flags = flags_with(folder, slow_compiler(folder));
  expect_good(start("CallsBeforeTheCompilerIsDone", flags, folder), folder);
}

TEST(InterpretedProgram, DISABLED_WaitsForTheCompiler) {
  std::thread later([] {
    ASSERT_TRUE(wait_for_file(given("started")));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::ofstream(given("go")) << "go";
  });
  Small small;
  small.expect_right();
  EXPECT_TRUE(std::filesystem::exists(given("go")));
  later.join();
}

TEST(Interpreted, WaitsWhereToldTo) {
  for (const char* flag : {",compile.background=False", ",deterministic=more"}) {
    const TemporaryFolder folder;
    const std::string flags = flags_with(folder, slow_compiler(folder)) + flag;
    expect_good(start("WaitsForTheCompiler", flags, folder), folder);
  }
}

TEST(InterpretedProgram, DISABLED_HasNoCompiler) {
  static int warnings = 0;
  static std::string said;
  set_warning_handler([](const std::string& text) {
    ++warnings;
    said = text;
  });
  Small first, second;
  first.expect_right();
  second.expect_right();
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(said.find("'small' runs in the interpreter"), std::string::npos) << said;
  EXPECT_NE(said.find("flag cxx"), std::string::npos) << said;
}

TEST(Interpreted, SaysOnceThatThereIsNoCompiler) {
  const TemporaryFolder folder;
  expect_good(start("HasNoCompiler", flags_with(folder, "/nowhere/cc"), folder), folder);
}

TEST(InterpretedProgram, DISABLED_RunsUntilEnded) {
  Small small;
  for (;;)
    small.expect_right();
}

TEST(Interpreted, LeavesNothingBehindWhenInterrupted) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const TemporaryFolder folder;
  const pid_t child = start("RunsUntilEnded", flags_with(folder, slow_compiler(folder)), folder);
  ASSERT_TRUE(wait_for_file(folder / "started"));
  kill(-child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  bool gone = false;
  for (int round = 0; round < 500 && !gone; ++round) {
    while (waitpid(-child, nullptr, WNOHANG) > 0) {
    }
    gone = kill(-child, 0) != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone) << "a compiler is still there";
  const std::filesystem::path cache = folder / "cache";
  if (!std::filesystem::exists(cache)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache))
    EXPECT_TRUE(entry.is_directory()) << entry.path() << " was left";
}

TEST(InterpretedProgram, DISABLED_ThreadsCall) {
  Small shared_by_two, other;
  std::vector<std::thread> threads;
  for (Small* small : {&shared_by_two, &shared_by_two, &other, &other}) {
    threads.emplace_back([small] {
      for (int i = 0; i < 300; ++i)
        small->expect_right();
    });
  }
  for (std::thread& t : threads)
    t.join();
}

TEST(Interpreted, IsReplacedBelowTheFeetOfThreads) {
  const TemporaryFolder folder;
  expect_good(start("ThreadsCall", "base_compiledir=" + folder / "cache", folder), folder);
}

}  // namespace
}  // namespace hypatia
