#pragma once
// What an exercise must prove before a class sees it.

#include <string>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

/// One thing proved or not.
struct Proof {
  std::string what;    // "starter fails for its declared reason"
  std::string status;  // "pass", "fail", "skip"
  std::string detail;
};

/// The wrong answers that come with the exercise: patches of its solution.
std::vector<std::string> wrong_answers(const Exercise& exercise);
/// True if the starter is not as its author left it, which the runner remembers.
bool edited_here(const Exercise& exercise);
/// True if the check passes the program on every device that the exercise is for. A wrong answer
/// may be wrong on one kind of device only: transfers cost nothing on the cpu.
bool passes_everywhere(const Exercise& exercise, const std::string& path, double limit_seconds);

/// Texts, starter and solution; with `mutants` also that each wrong answer is rejected by a check
/// without options, as a learner types it, and told with the words of the line "says: …" that may
/// stand above the patch. A line "with: --race" is for mistakes that only a checked run can see.
std::vector<Proof> prove(const Exercise& exercise, bool mutants, const Told& told);
/// Builds the exercise's check ("check_solution") or program ("solution") around another text.
/// Throws Stop (environment) if it can't. Returns the program, or "" if the text does not compile.
std::string build_variant(
    const Exercise& exercise,
    const std::string& name,
    const std::string& text,
    const std::string& part = "check_solution");

}  // namespace hypatia::runner
