#include "exercises/runner/regions.h"

#include <algorithm>

#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr const char* mark = "edit between these marks";

// The runs of lines outside the marks, but for includes: one more than there are regions.
std::vector<std::vector<std::string>> outside(const std::string& starter, std::string& fault) {
  std::vector<std::vector<std::string>> runs{{}};
  bool inside = false;
  for (const std::string& line : lines_of(starter)) {
    if (is_mark(line)) {
      const bool opens = line.find(">>>") != std::string::npos;
      if (opens == inside) fault = "its marks do not alternate between >>> and <<<";
      inside = opens;
      if (opens) runs.emplace_back();
    } else if (!inside && line.rfind("#include", 0) != 0) {
      runs.back().push_back(line);
    }
  }
  if (inside) fault = "its last mark is not closed";
  if (runs.size() < 2) fault = "it has no marks";
  return runs;
}

constexpr std::size_t anchor_lines = 3;

// Where `anchor` stands in the lines, at `from` or later; lines.size() + 1 if nowhere.
std::size_t place_of(
    const std::vector<std::string>& lines,
    const std::vector<std::string>& anchor,
    std::size_t from) {
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(std::min(from, lines.size()));
  const auto found = std::search(begin, lines.end(), anchor.begin(), anchor.end());
  if (found == lines.end() && !anchor.empty()) return lines.size() + 1;
  return static_cast<std::size_t>(found - lines.begin());
}

std::vector<std::string> first_of(const std::vector<std::string>& run) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(run.size(), anchor_lines));
  return {run.begin(), run.begin() + count};
}

std::vector<std::string> last_of(const std::vector<std::string>& run) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(run.size(), anchor_lines));
  return {run.end() - count, run.end()};
}

// The first line of the starter's outside that the solution doesn't have outside its regions, in
// order; "" if it has all. A solution may have more there: a helper, a header.
std::string missing_line(
    const std::vector<std::vector<std::string>>& runs,
    const std::vector<std::string>& lines,
    const std::vector<Region>& regions) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) at = std::max(at, regions[i - 1].end);
    const std::size_t end = i < regions.size() ? regions[i].begin : lines.size();
    for (const std::string& line : runs[i]) {
      while (at < end && lines[at] != line)
        ++at;
      if (at == end) return line;
      ++at;
    }
  }
  return "";
}

}  // namespace

bool is_mark(const std::string& line) {
  return line.find(mark) != std::string::npos;
}

std::string without_marks(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) {
    if (!is_mark(line)) out += line + "\n";
  }
  return out;
}

std::vector<Region> solved_regions(
    const std::string& starter, const std::string& solution, std::string& fault) {
  fault.clear();
  const std::vector<std::vector<std::string>> runs = outside(starter, fault);
  if (!fault.empty()) return {};
  const std::vector<std::string> lines = lines_of(solution);
  std::vector<Region> regions;
  std::size_t at = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::vector<std::string> before = last_of(runs[i - 1]), after = first_of(runs[i]);
    const std::size_t begin = place_of(lines, before, at) + before.size();
    const bool to_the_end = after.empty();
    at = to_the_end ? lines.size() : place_of(lines, after, begin);
    if (begin > lines.size() || at > lines.size()) {
      fault = "the lines around its region no. " + std::to_string(i) + " are not in the solution";
      return {};
    }
    regions.push_back({begin, at});
  }
  const std::string missing = missing_line(runs, lines, regions);
  if (missing.empty()) return regions;
  fault = "the solution doesn't have this line outside the marks: " + missing;
  return {};
}

}  // namespace hypatia::runner
