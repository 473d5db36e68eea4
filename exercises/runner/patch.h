#pragma once
// Applies unified diffs to a text: how mutants are made from a solution.

#include <string>

namespace hypatia::runner {

/// The text after the patch. Throws Stop (authoring) if a hunk's context is not found where it
/// says, give or take 20 lines.
std::string apply_patch(const std::string& text, const std::string& patch);

}  // namespace hypatia::runner
