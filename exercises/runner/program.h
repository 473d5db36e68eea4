#pragma once
// Runs an exercise's own program: the learner's or the solution's.

#include <string>
#include <utility>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/process.h"

namespace hypatia::runner {

struct ProgramRequest {
  const Exercise* exercise = nullptr;
  bool solution = false;
  std::string program;             // one that is built already; "" builds the exercise's own
  std::string device, flags;       // "" leaves what is configured
  std::string recording;           // "": no profile
  std::vector<std::string> words;  // the program's arguments
  std::vector<std::pair<std::string, std::string>> environment;  // more of it
  double limit_seconds = 0;                                      // 0: none
  bool capture = false;
};

/// Builds the exercise's own program and returns its path; throws as run_program does.
std::string built_program(const Exercise& exercise, bool solution);
/// Builds and runs it. A program that does not compile throws Stop (no_build) with the first error,
/// a compiler that takes too long throws Stop (timeout), flags that are none Stop (usage).
Outcome run_program(const ProgramRequest& request);
/// The exit code of `hypatia` for a program's end.
int exit_code_of(const Outcome& outcome);

}  // namespace hypatia::runner
