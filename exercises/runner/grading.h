#pragma once
// Grades many submissions, several at once, with a journal from which a grading that was cut off
// goes on.

#include <functional>
#include <string>
#include <vector>

#include "exercises/runner/gradebook.h"
#include "exercises/runner/judging.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

struct GradingRequest {
  std::vector<Submission> submissions;
  std::vector<const Exercise*> exercises;
  bool only = false;   // these exercises alone, not those of the grading that goes on as well
  std::string out;     // the folder of the journal
  std::string device;  // "": each exercise's usual one
  std::string seed;    // "": a fresh one, or that of the grading that goes on
  double most_seconds = 0;
  bool resume = false;
  int jobs = 1;
  std::function<void(const Result& result, std::size_t done, std::size_t of)> told;
  Told step;  // hears what is done before the first verdict
  Told say;   // hears what a grading that goes on keeps and makes again: lines that stay
};

/// A grading that goes on keeps the learners and exercises that the request does not name as they
/// were. Throws Stop (usage) if the folder holds a grading already and `resume` is not set.
Gradebook run_grading(const GradingRequest& request, const Sandbox& sandbox);

}  // namespace hypatia::runner
