#pragma once
// Runs a program with a time limit, in a process group of its own that is gone afterwards.

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hypatia::runner {

/// What to run.
struct Task {
  std::vector<std::string> words;                                // the program and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // beside what is inherited
  std::string folder;                                            // "" stays here
  double limit_seconds = 0;                                      // 0: none
  bool capture = true;     // collect stdout and stderr; else they pass through
  bool stoppable = false;  // stop_running() of another thread ends it
  bool report = false;     // open a pipe whose number HYPATIA_REPORT names
  std::size_t most_output = std::size_t{1} << 20;  // bytes kept of what it prints
  std::size_t most_report = std::size_t{1} << 20;  // and of its report
  bool inherit = true;                             // else only `environment` and PATH
  int keep_open = -1;                              // a descriptor that it gets, beside its report
  const std::atomic<bool>* stop = nullptr;         // once true, it is killed
};

/// How it ended.
struct Outcome {
  int code = 0;    // exit status, if it was not killed
  int signal = 0;  // what killed it, else 0
  bool timed_out = false;
  bool stopped = false;  // by Task::stop
  bool started = true;   // false: the program could not be started
  bool cut = false;      // output beyond most_output was dropped
  double seconds = 0;
  double cpu_seconds = 0;  // of it and of what it waited for
  long peak_kilobytes = 0;
  std::string output;  // stdout and stderr as they came
  std::string report;  // what was written to the report pipe

  bool good() const { return started && !timed_out && signal == 0 && code == 0; }
};

/// Runs to the end or to the limit. On an interrupt the group is killed before this process ends.
Outcome run(const Task& task);

/// Kills the stoppable program that another thread runs now, if there is one: its run() returns.
void stop_running();
/// What to do before an interrupt ends this process; only calls that are safe in a signal handler.
void on_interrupt(void (*action)());

/// Becomes another program; returns only if that failed.
void become(const std::vector<std::string>& words);

}  // namespace hypatia::runner
