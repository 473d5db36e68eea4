#pragma once
// A learner's attempt: a check of their file that is remembered.

#include "exercises/runner/checker.h"

namespace hypatia::runner {

/// Checks the learner's file, keeps a snapshot of it and writes a line into the journal. The
/// verdict holds the attempts, hints and predictions so far.
Verdict attempt(const CheckRequest& request);

/// The remembering alone, of a verdict on `text`.
void remember(Verdict& verdict, const std::string& text);

}  // namespace hypatia::runner
