// Watch mode on a terminal of its own: a verdict at every save, also at one during a run; keys.
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A `hypatia` at the other end of a terminal.
class Terminal {
 public:
  Terminal(const Toy& toy, const std::vector<std::string>& words) {
    const std::string path = program("hypatia");
    std::vector<char*> raw{const_cast<char*>(path.c_str())};
    for (const std::string& word : words)
      raw.push_back(const_cast<char*>(word.c_str()));
    raw.push_back(nullptr);
    const auto environment = toy.environment();
    child_ = ::forkpty(&end_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
      if (::chdir(toy.scratch.path.c_str()) == 0) ::execv(raw[0], raw.data());
      ::_exit(127);
    }
  }

  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  ~Terminal() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    ::close(end_);
  }

  // Reads until the words have come, and forgets what came up to them.
  bool shows(const std::string& words, double limit = 20) {
    const Clock::time_point begin = Clock::now();
    while (since(begin) < limit) {
      if (const std::size_t at = seen_.find(words); at != std::string::npos) {
        seen_.erase(0, at + words.size());
        return true;
      }
      pollfd watched{end_, POLLIN, 0};
      if (::poll(&watched, 1, 50) <= 0) continue;
      char block[4096];
      const ssize_t got = ::read(end_, block, sizeof block);
      if (got <= 0) return false;
      seen_.append(block, static_cast<std::size_t>(got));
    }
    return false;
  }

  void press(const std::string& keys) const {
    ASSERT_EQ(::write(end_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  bool echoes() const {
    termios mode{};
    ::tcgetattr(end_, &mode);
    return (mode.c_lflag & ECHO) != 0 && (mode.c_lflag & ICANON) != 0;
  }

  int exit_code() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void signal(int number) const { ::kill(child_, number); }

  const std::string& seen() const { return seen_; }

 private:
  int end_ = -1;
  pid_t child_ = -1;
  std::string seen_;
};

std::string sleeping(const std::string& answer) {
  return "answer() { sleep 0.8; echo " + answer + "; }\nmain() { answer; }\n";
}

}  // namespace

TEST(Watch, ASaveBringsAVerdict) {
  const Toy toy;
  Terminal terminal(toy, {});  // the bare command on a terminal
  ASSERT_TRUE(terminal.shows("NOT YET")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("it is 41")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit"));
  EXPECT_FALSE(terminal.echoes());
  const Clock::time_point saved = Clock::now();
  toy.write(toy.right);
  ASSERT_TRUE(terminal.shows("PASSED")) << terminal.seen();
  EXPECT_LT(since(saved), 2);
  EXPECT_TRUE(terminal.shows("after the save"));
  terminal.press("q");
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_TRUE(terminal.echoes());
}

TEST(Watch, ASaveDuringARunIsNotLost) {
  const Toy toy;
  toy.write(sleeping("41"));
  Terminal terminal(toy, {"watch", "00"});
  ASSERT_TRUE(terminal.shows("checking"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Editors write beside and rename; the first run is ended, and gives no verdict.
  toy.scratch.write("exercises/00_toy/exercise.cpp~", toy.right);
  std::filesystem::rename(
      toy.scratch.path / "exercises/00_toy/exercise.cpp~",
      toy.scratch.path / "exercises/00_toy/exercise.cpp");
  ASSERT_TRUE(terminal.shows("PASSED")) << terminal.seen();
  EXPECT_FALSE(contains(toy.scratch.read(".hypatia/state.jsonl"), "fail"));
}

TEST(Watch, DeathsAndEndlessLoopsAreTold) {
  const Toy toy;
  toy.write("answer() { kill -SEGV $$; }\nmain() { answer; }\n");
  Terminal terminal(toy, {"watch", "00"});
  EXPECT_TRUE(terminal.shows("segmentation fault")) << terminal.seen();
  toy.write("answer() { while true; do :; done; }\nmain() { answer; }\n");
  EXPECT_TRUE(terminal.shows("still running after 1 s")) << terminal.seen();
  toy.write("answer() { ((;\n");
  EXPECT_TRUE(terminal.shows("does not compile")) << terminal.seen();
  toy.write(toy.right);
  EXPECT_TRUE(terminal.shows("PASSED")) << terminal.seen();
}

TEST(Watch, KeysAnswer) {
  const Toy toy;
  Terminal terminal(toy, {"watch", "00", "--plain"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  terminal.press("h");
  EXPECT_TRUE(terminal.shows("Look at the number")) << terminal.seen();
  terminal.press("s");
  EXPECT_TRUE(terminal.shows("## Questions"));
  terminal.press("?");
  EXPECT_TRUE(terminal.shows("check again"));
  terminal.press("l");
  EXPECT_TRUE(terminal.shows("a toy"));
  terminal.press("r");
  EXPECT_TRUE(terminal.shows("the answer is 41")) << terminal.seen();
  terminal.press("d");
  EXPECT_TRUE(terminal.shows("not passed yet")) << terminal.seen();
  terminal.press("p");
  ASSERT_TRUE(terminal.shows("digits = ")) << terminal.seen();
  terminal.press("3\n");
  EXPECT_TRUE(terminal.shows("1 of 1 questions answered")) << terminal.seen();
  toy.write(toy.right);
  EXPECT_TRUE(terminal.shows("you said 3, measured 2")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("u");
  EXPECT_TRUE(terminal.shows("as it was at the check of")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("NOT YET")) << terminal.seen();
  EXPECT_EQ(toy.scratch.read("exercises/00_toy/exercise.cpp"), toy.wrong);
}

TEST(Watch, ASignalLeavesTheTerminalAsItWas) {
  const Toy toy;
  Terminal terminal(toy, {"watch"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  ASSERT_FALSE(terminal.echoes());
  terminal.signal(SIGTERM);
  terminal.exit_code();
  EXPECT_TRUE(terminal.echoes());
}

TEST(Watch, WithoutATerminalTheBareCommandIsStatus) {
  const Toy toy;
  EXPECT_TRUE(contains(toy.hypatia({}).output, "0 of 1 exercises passed"));
  EXPECT_EQ(toy.hypatia({"watch"}).code, 2);
}

}  // namespace hypatia::runner
