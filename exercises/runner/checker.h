#pragma once
// Checks a file: builds its check program, runs it with a limit, and reads its report.

#include <string>

#include "exercises/runner/process.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/verdict.h"

namespace hypatia::runner {

/// Which file is checked, and where.
struct CheckRequest {
  const Exercise* exercise = nullptr;
  bool solution = false;  // the provided solution instead of the learner's file
  std::string device = "cpu";
  std::string flags;  // further HYPATIA_FLAGS
  std::string seed;   // "" lets the check choose its own
  /// A check that is built already, around another text; "" builds the file's own.
  std::string program;
  double limit_seconds = 0;  // 0: the sheet's
  bool race = false;  // on the simulated GPU, with a look at every access, in each order of threads
  Told told;          // hears at which step it is
};

/// Throws as require_flags does, before anything is built.
Verdict check(const CheckRequest& request);

/// What to say of a compiler that was stopped at the sheet's limit.
std::string slow_build(const Exercise& exercise);
/// Fills in what a check's run came to: its tests, or how it died.
void read_verdict(Verdict& verdict, const Outcome& outcome, double limit_seconds);
/// The tests that a report tells of; a test that began and did not end is a failure. `ended` says
/// whether the check came to its last line.
std::vector<TestResult> read_report(const std::string& report, bool& ended);
/// What a report says was measured, by question.
std::map<std::string, double> read_measured(const std::string& report);

}  // namespace hypatia::runner
