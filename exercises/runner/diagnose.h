#pragma once
// Says in plain words how a program died.

#include <string>

#include "exercises/runner/process.h"

namespace hypatia::runner {

/// A death in a learner's words.
struct Diagnosis {
  std::string tag;      // "segfault", "out-of-bounds", "timeout", …
  std::string message;  // one sentence
  std::string file;     // the first line of the user's own code in a sanitizer's report, if any
  int line = 0;
};

/// For an outcome that is not a normal exit.
Diagnosis diagnose(const Outcome& outcome, double limit_seconds);

}  // namespace hypatia::runner
