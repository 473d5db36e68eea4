#pragma once
// A terminal for the tests of what people see and type.

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include "tests/runner/toy.h"

namespace hypatia::runner {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A `hypatia` at the other end of a terminal.
class Terminal {
 public:
  Terminal(const Toy& toy, const std::vector<std::string>& words, unsigned short columns = 0) {
    const std::string path = program("hypatia");
    std::vector<char*> raw{const_cast<char*>(path.c_str())};
    for (const std::string& word : words)
      raw.push_back(const_cast<char*>(word.c_str()));
    raw.push_back(nullptr);
    const auto environment = toy.environment();
    const winsize size{24, columns, 0, 0};
    child_ = ::forkpty(&end_, nullptr, nullptr, columns > 0 ? &size : nullptr);
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

  /// Reads until the words have come, and forgets what came up to them.
  bool shows(const std::string& words, double limit = 20) {
    const auto begin = std::chrono::steady_clock::now();
    while (seconds_since(begin) < limit) {
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

}  // namespace hypatia::runner
