#pragma once
// What a check came to, and its two forms: text for people and one JSON document.

#include <map>
#include <string>
#include <vector>

#include "exercises/runner/build.h"
#include "exercises/runner/course.h"

namespace hypatia::runner {

/// One test of a check.
struct TestResult {
  std::string name;
  std::string status;  // "pass", "fail", "skip"
  std::string tag, message, expected, got;
  double used = 0;  // the share of the allowed error that was used; 0: not told
  double milliseconds = 0;
};

/// A check of one file on one device.
struct Verdict {
  const Exercise* exercise = nullptr;
  std::string file;    // the file that was checked
  std::string sha256;  // of its text
  std::string device = "cpu";
  std::string status;  // "pass", "fail", "build", "timeout", "crash", "unsupported"
  std::vector<std::string> tags;
  std::vector<TestResult> tests;
  std::vector<Complaint> complaints;        // of the compiler
  std::string message;                      // how it died or why it was not run
  std::string output;                       // what the learner's program printed
  std::map<std::string, double> measured;   // answers to the sheet's questions
  std::map<std::string, double> predicted;  // the learner's first ones, given before
  double build_seconds = 0, seconds = 0, cpu_seconds = 0;
  int attempts = 0, hints_used = 0;

  bool passed() const { return status == "pass"; }

  /// Unless it is among them or empty.
  void add_tag(const std::string& tag);
  /// One of Exit.
  int exit_code() const;
  const TestResult* first_failure() const;
};

/// At most 24 lines of at most 100 columns, the file and line first.
std::string to_text(const Verdict& verdict);
/// One document: {"schema": 1, "exercise": …, "tests": […], …}.
std::string to_json(const std::vector<Verdict>& verdicts);

}  // namespace hypatia::runner
