#pragma once
// Generic wrong answers: small changes from a fixed list, at every place of what a learner writes.

#include <functional>
#include <string>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/regions.h"

namespace hypatia::runner {

/// The solution with one change.
struct Mutant {
  std::string kind;           // "< to <="
  std::size_t line = 0;       // from 1
  std::string before, after;  // the line, without the blanks at its ends
  std::string text;           // the whole file

  std::string name() const { return kind + ": " + after; }
};

/// The kinds of change, in the order in which they are tried.
std::vector<std::string> mutation_kinds();
/// Every mutant of the lines in these regions. Comments stay as they are.
std::vector<Mutant> mutants_of(const std::string& text, const std::vector<Region>& regions);

/// A mutant that is no mistake, and why: its line as it is after the change.
struct Equivalent {
  std::string line, why;
};

/// What became of the mutants of an exercise.
struct MutationScore {
  int killed = 0, no_program = 0, equivalent = 0;
  std::vector<Mutant> survived;

  /// The share of those that count: built, and not known to be equivalent.
  double share() const;
};

/// Builds and checks each. `told` is called for each, in any order, from several threads in turns.
MutationScore try_mutants(
    const Exercise& exercise,
    const std::vector<Mutant>& mutants,
    const std::vector<Equivalent>& equivalents,
    const std::function<void(const Mutant&, const std::string& fate)>& told);
/// The exercise's list mutants/equivalent.json; empty if there is none.
std::vector<Equivalent> equivalents_of(const Exercise& exercise);

}  // namespace hypatia::runner
