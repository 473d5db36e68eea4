#pragma once
// How each block and each figure of a page is held true.

#include <string>
#include <vector>

#include "exercises/runner/book.h"
#include "exercises/runner/course.h"
#include "exercises/runner/evidence.h"

namespace hypatia::runner {

/// A block, named by its first line, or a figure.
struct Held {
  std::size_t line = 0;  // of the page
  std::string what;
  std::string how;    // what holds it
  std::string fault;  // why that doesn't hold; "": it does
};

/// A page whose figures are looked at.
struct HeldPage {
  std::string path;                    // absolute
  const Exercise* exercise = nullptr;  // null: a page of the handbook
};

/// The pages of an exercise: its text, its hints, its solution's notes.
std::vector<HeldPage> held_pages(const Exercise& exercise);
/// The handbook's own pages, docs/course/*.md.
std::vector<HeldPage> handbook_pages();

/// The blocks and figures of a page, in order. `samples` are what the exercise's solution prints;
/// the commands that the page names are run.
std::vector<Held> held_on(const HeldPage& page, const std::vector<Sample>& samples, Trials& trials);

}  // namespace hypatia::runner
