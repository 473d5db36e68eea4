#pragma once
// Runs test programs side by side and adds up what their tests came to.

#include <string>
#include <vector>

#include "exercises/runner/process.h"

namespace hypatia::runner {

/// One test that did not simply pass.
struct Remark {
  std::string test;  // "engine: ArrayTest.ViewsShareBytes"
  std::string text;  // its output, or why it was skipped
};

/// The sums of any number of test programs.
struct Sums {
  int passed = 0;
  std::vector<Remark> failed, skipped;
  double seconds = 0;

  void add(const Sums& other);
};

/// A program to run: a GoogleTest program or a part of one, or any command that is one test.
struct Job {
  std::string part;  // "engine"
  Task task;
  bool google_test = true;  // else: one test, passed if the exit code is 0
};

/// Runs the jobs on `threads` threads; prints a line as each part of a program fails.
std::vector<Sums> run_jobs(const std::vector<Job>& jobs, int threads);
/// The tests in a GoogleTest program's output. One that started and never ended has failed.
Sums read_google_test(const std::string& part, const Outcome& outcome);

}  // namespace hypatia::runner
