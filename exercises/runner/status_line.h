#pragma once
// A line of the terminal that says what is being done and for how long, written over itself.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace hypatia::runner {

/// Where work says at which step it is.
using Told = std::function<void(const std::string& step)>;

/// While it lives, the last line of stderr's terminal tells the step; at its end the line is gone.
/// Where stderr is no terminal, or the line is not wanted, nothing is written.
class StatusLine {
 public:
  /// `more`, if any, is asked at each writing for what to add, as how many are done.
  explicit StatusLine(bool wanted, std::string step, std::function<std::string()> more = nullptr);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// The next step. From any thread.
  void say(std::string step);
  /// Prints a line that stays, on stdout or stderr; the step moves down below it. From any thread.
  void print(const std::string& line, std::FILE* to = stdout);

  /// say(), to be handed to the work.
  Told told() {
    return [this](const std::string& step) { say(step); };
  }

 private:
  void keep_writing();
  void write_line();

  std::string step_;
  std::function<std::string()> more_;
  std::chrono::steady_clock::time_point begin_;
  bool ended_ = false, shown_ = false;
  std::mutex mutex_;
  std::condition_variable next_;
  std::thread writer_;
};

/// Takes the line off the terminal, if one is there; safe in a signal handler.
void wipe_status_line();

}  // namespace hypatia::runner
