#pragma once
// The exercises as their folders describe them.

#include <string>
#include <string_view>
#include <vector>

namespace hypatia::runner {

/// A hint file and the failures it answers.
struct Hint {
  int level = 1;
  std::string file;               // "hints/1.md", in the exercise's folder
  std::vector<std::string> tags;  // empty: any failure
  int task = 0;                   // of the page's list; 0: any
};

/// A question whose answer the check measures; the learner predicts it first.
struct Question {
  std::string name;  // "nodes", the name that the check measures under
  std::string text;
  std::string on;     // "cpu" or "gpu": where it can be measured; "": anywhere
  double answer = 0;  // the author's, of the solution
  double within = 0;  // how far off a prediction may be and still be right
};

/// One folder exercises/NN_name, read from its exercise.json.
struct Exercise {
  std::string id;      // "01_exp_test"
  std::string number;  // "01"
  std::string title;
  std::vector<std::string> teaches, needs, devices;
  int minutes = 0;
  std::string checked_on;  // "gpu": a check that is told no device takes one; "": the cpu first
  std::string starter_sha256;
  std::string starter_fails, starter_tag;  // the test and the tag that the starter must fail with
  std::vector<std::string> tests;          // in the order they run
  double test_seconds = 10, build_seconds = 60;
  std::vector<Hint> hints;
  std::vector<Question> questions;
  std::string folder;  // absolute

  std::string source() const { return folder + "/exercise.cpp"; }

  std::string solution() const;

  /// True if the exercise can be done on a device of this spec: "cpu", "sim:gtx1060", "cuda1".
  bool runs_on(std::string_view spec) const;

  /// True if its check sees all there is to see on a GPU only, real or simulated.
  bool needs_gpu() const { return checked_on == "gpu" || !runs_on("cpu"); }

  std::string target(std::string_view part) const { return std::string(part) + "_" + id; }
};

/// A starter as its author left it.
struct Starter {
  std::string id;
  std::string text;
};

/// Every exercise, in order. Throws Stop (authoring) that names the file and the field at fault.
const std::vector<Exercise>& course();
/// The exercise called "01", "1", "01_exp_test" or "exp_test". Throws Stop (usage) with near names.
const Exercise& find_exercise(std::string_view name);
/// Throws Stop (no_build) with the way back if the learner's file was removed.
void require_source(const Exercise& exercise);
/// The starters embedded when the runner was built.
const std::vector<Starter>& starters();
/// The pristine text of an exercise's file. Throws Stop (environment) if it is not known.
const std::string& pristine(const Exercise& exercise);

}  // namespace hypatia::runner
