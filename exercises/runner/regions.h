#pragma once
// Where a learner edits: the lines between the marks of a starter, and the lines of the solution
// that stand there.

#include <cstddef>
#include <string>
#include <vector>

namespace hypatia::runner {

/// Lines of a text, from `begin` up to but not including `end`, counted from 0.
struct Region {
  std::size_t begin = 0, end = 0;

  bool operator==(const Region&) const = default;
};

/// True for a line that marks where an edit region begins or ends.
bool is_mark(const std::string& line);
/// The text without its marks.
std::string without_marks(const std::string& text);
/// The regions of the solution that stand between the starter's marks. `fault` says why there are
/// none: no marks, an unclosed one, or a line outside them that the solution doesn't have. What the
/// solution has besides (a helper, a header) is no fault.
std::vector<Region> solved_regions(
    const std::string& starter, const std::string& solution, std::string& fault);

}  // namespace hypatia::runner
