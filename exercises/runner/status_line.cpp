#include "exercises/runner/status_line.h"

#include <atomic>
#include <cstdio>
#include <string_view>
#include <unistd.h>

#include "exercises/runner/terminal.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr std::chrono::milliseconds quick{400};  // what takes no longer need not be told
constexpr std::chrono::milliseconds tick{1000};
constexpr std::string_view wiped = "\r\033[K";

std::atomic<bool> on_screen{false};

}  // namespace

void wipe_status_line() {
  if (!on_screen.exchange(false)) return;
  static_cast<void>(::write(STDERR_FILENO, wiped.data(), wiped.size()) == 0);
}

StatusLine::StatusLine(bool wanted, std::string step, std::function<std::string()> more)
    : step_(std::move(step)), more_(std::move(more)), begin_(std::chrono::steady_clock::now()) {
  if (wanted && ::isatty(STDERR_FILENO) == 1) writer_ = std::thread([this] { keep_writing(); });
}

StatusLine::~StatusLine() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wipe_status_line();
  }
  next_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void StatusLine::say(std::string step) {
  const std::lock_guard lock(mutex_);
  step_ = std::move(step);
  begin_ = std::chrono::steady_clock::now();
  if (shown_) write_line();
}

void StatusLine::print(const std::string& line, std::FILE* to) {
  const std::lock_guard lock(mutex_);
  wipe_status_line();
  std::fprintf(to, "%s\n", line.c_str());
  std::fflush(to);
  if (shown_) write_line();
}

void StatusLine::keep_writing() {
  std::unique_lock lock(mutex_);
  next_.wait_for(lock, quick, [this] { return ended_; });
  while (!ended_) {
    write_line();
    next_.wait_for(lock, tick, [this] { return ended_; });
  }
}

void StatusLine::write_line() {
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begin_;
  std::string text = step_ + (more_ ? more_() : "") + " …";
  if (past.count() >= 1)
    text += " " + duration(static_cast<double>(static_cast<int>(past.count())));
  const std::size_t width = terminal_columns(STDERR_FILENO);
  shown_ = true;
  on_screen = true;  // before it is: an interrupt may come at any time
  // The last column stays free: a terminal may begin another line behind it.
  std::fprintf(stderr, "%s%s", wiped.data(), beginning(text, (width > 0 ? width : 80) - 1).c_str());
  std::fflush(stderr);
}

}  // namespace hypatia::runner
