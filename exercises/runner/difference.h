#pragma once
// Differences between texts: lines of two programs, and what varies from run to run.

#include <string>
#include <string_view>
#include <vector>

namespace hypatia::runner {

/// Whether two lines count as the same.
using SameLine = bool (*)(std::string_view, std::string_view);

/// "  kept", "- only before", "+ only after": the fewest changes, with `around` kept lines beside
/// each and "..." where lines are left out. "" if the texts are the same.
std::string line_difference(
    std::string_view before,
    std::string_view after,
    std::size_t around = 2,
    SameLine same = [](std::string_view a, std::string_view b) { return a == b; });

/// One text from the outputs of several runs of one program: a word that is not the same in all
/// becomes "…", and so does a line that is not there in all.
std::string steady(const std::vector<std::string>& outputs);
/// True if two lines are the same word by word; "…" is like any word, and numbers may differ by
/// `relative` of the larger.
bool same_line(std::string_view a, std::string_view b, double relative);

}  // namespace hypatia::runner
