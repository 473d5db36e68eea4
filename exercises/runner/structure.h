#pragma once
// What can be said of an exercise from its texts alone: nothing is built or run.

#include <string>
#include <vector>

#include "exercises/runner/proof.h"

namespace hypatia::runner {

/// Files, prerequisites, marks, hints and the page's sections and links.
std::vector<Proof> prove_structure(const Exercise& exercise);

/// The longest run of words and signs that two texts share.
std::size_t longest_shared_run(const std::string& a, const std::string& b);
/// An exercise that needs itself by way of others, as "03 needs 02 needs 03"; "" if none does.
std::string cycle_of(const std::vector<Exercise>& exercises);

}  // namespace hypatia::runner
