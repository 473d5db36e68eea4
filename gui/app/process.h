#pragma once
// A program that runs beside the GUI, its output read line by line while it runs.

#include <string>
#include <sys/types.h>
#include <vector>

namespace hypatia::gui {

/// Runs `arguments` (the program first) by itself, in a session of its own: it goes on when this
/// program ends. Throws Error if it can't be started.
void start_detached(const std::vector<std::string>& arguments);

/// Started by `start`; ended with everything it started when this is destroyed.
class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Runs `arguments` (the program first) with both outputs read here. Throws Error if it can't.
  void start(const std::vector<std::string>& arguments);

  /// Takes in what was written since, without waiting; true if there was anything or it ended.
  bool poll();

  /// Whole lines that were read since the last call.
  std::vector<std::string> take_lines();

  bool running() const { return pid_ > 0; }

  /// The exit status of the last program; 128 + n if signal n ended it.
  int status() const { return status_; }

  void stop();

 private:
  void finish(int status);

  pid_t pid_ = -1;
  int pipe_ = -1;
  int status_ = 0;
  std::string partial_;
  std::vector<std::string> lines_;
};

}  // namespace hypatia::gui
