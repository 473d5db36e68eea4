#pragma once
// The parts of `hypatia dev`; each returns an exit code.

#include "exercises/runner/command.h"

namespace hypatia::runner {

/// A new exercise that at once passes `dev check`.
int dev_new(const Arguments& arguments);
/// Generic wrong answers, and how many of them the check rejects.
int dev_mutate(const Arguments& arguments);
/// A table of what each exercise has, and of how learners fared here.
int dev_stats(const Arguments& arguments);
/// Writes the book's pages; with --check compares them with those in the tree.
int dev_book(const Arguments& arguments);

}  // namespace hypatia::runner
