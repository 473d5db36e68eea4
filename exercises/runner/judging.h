#pragma once
// Grades one file: compiles it, confined, around the course's own main, and lets the exercise's
// check, in another process, ask its functions.

#include <string>

#include "exercises/runner/sandbox.h"
#include "exercises/runner/verdict.h"

namespace hypatia::runner {

/// How an exercise's submissions are compiled, and the check that asks them; built once.
struct Judge {
  const Exercise* exercise = nullptr;
  std::string check;                  // the program that asks
  std::vector<std::string> compile;   // words; the source and the object are left out
  std::vector<std::string> link;      // words; $OBJECT stands for the object
  std::vector<std::string> readable;  // files that the two need
};

/// Whether the exercise says what of it crosses the border: it has a border.cpp.
bool can_be_graded(const Exercise& exercise);
/// Builds the check. Throws Stop (authoring) if the exercise has no border.cpp, (environment) if it
/// does not build.
Judge judge_for(const Exercise& exercise);

/// What to grade, and with which inputs.
struct Submitted {
  std::string text;
  std::string path;         // for people
  std::string device;       // "cpu", "sim", …
  std::string seed;         // of the check's inputs
  std::string scratch;      // a folder of the grader's own for the program
  double most_seconds = 0;  // 0: what the sheet says
  int slot = 0;             // gradings at once have different ones
};

Verdict grade(const Judge& judge, const Submitted& file, const Sandbox& sandbox);

/// The words of a command line as a shell takes it apart: quotes and backslashes.
std::vector<std::string> shell_words(const std::string& line);

}  // namespace hypatia::runner
