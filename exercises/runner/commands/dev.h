#pragma once
// The parts of `hypatia dev`; each returns an exit code.

#include <vector>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"

namespace hypatia::runner {

/// The exercise that the second word names; all of the course without one.
std::vector<const Exercise*> chosen_exercises(const Arguments& arguments);

/// A new exercise that passes `dev check` as soon as its placeholders are replaced.
int dev_new(const Arguments& arguments);
/// Generic wrong answers, and how many of them the check rejects.
int dev_mutate(const Arguments& arguments);
/// A table of what each exercise has, and of how learners fared here.
int dev_stats(const Arguments& arguments);
/// Writes the book's pages; with --check compares them with those in the tree.
int dev_book(const Arguments& arguments);

}  // namespace hypatia::runner
