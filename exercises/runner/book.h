#pragma once
// The course as a book: a page an exercise, with what its solution prints when the page is made.

#include <string>
#include <vector>

#include "exercises/runner/course.h"

namespace hypatia::runner {

/// What the solution printed on one device, over some runs; what varied is "…".
struct Sample {
  std::string device, output;
};

/// Runs the solution on the cpu and on the simulated GPU, as far as the exercise is for them: a few
/// times, so that what varies is seen, or once, which is enough beside a page that tells what
/// varies. Throws Stop (authoring) if it does not run to its end.
std::vector<Sample> run_samples(const Exercise& exercise, bool once);
/// The lines that the exercise's page promises below "What you should see", and that none of the
/// samples has. "..." and "…" stand for any word.
std::vector<std::string> broken_promises(
    const std::string& page, const std::vector<Sample>& samples);
/// Command lines of a page ("./hypatia check 01 --race") that name a verb or an option that is not
/// there.
std::vector<std::string> unknown_commands(const std::string& page);

/// The book's page of an exercise.
std::string book_page(const Exercise& exercise, const std::vector<Sample>& samples);
/// The first page: the exercises, what each teaches and needs.
std::string book_contents();
/// The lines of the page in the tree that are not as they would be made now: "- old", "+ new".
std::string book_drift(const std::string& in_tree, const std::string& made);
/// The page as it is written: what varied when the one in the tree was made varies still, even if
/// these runs agreed by luck.
std::string book_text(const std::string& in_tree, const std::string& made);

}  // namespace hypatia::runner
