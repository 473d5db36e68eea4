// A unified diff, hunk by hunk.
#include "exercises/runner/patch.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "exercises/runner/command.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

struct Hunk {
  int line = 1;  // in the old text, from 1
  std::vector<std::string> before, after;
};

std::vector<Hunk> hunks_of(const std::string& patch) {
  std::vector<Hunk> hunks;
  for (const std::string& line : lines_of(patch)) {
    int at = 0;
    if (std::sscanf(line.c_str(), "@@ -%d", &at) == 1) {
      hunks.push_back({at, {}, {}});
    } else if (!hunks.empty() && !line.empty()) {
      const std::string rest = line.substr(1);
      if (line[0] != '+') hunks.back().before.push_back(rest);
      if (line[0] != '-') hunks.back().after.push_back(rest);
    } else if (!hunks.empty()) {
      hunks.back().before.emplace_back();  // an empty context line that an editor trimmed
      hunks.back().after.emplace_back();
    }
  }
  return hunks;
}

bool matches(const std::vector<std::string>& lines, int at, const std::vector<std::string>& hunk) {
  if (at < 0 || static_cast<std::size_t>(at) + hunk.size() > lines.size()) return false;
  for (std::size_t i = 0; i < hunk.size(); ++i) {
    if (lines[static_cast<std::size_t>(at) + i] != hunk[i]) return false;
  }
  return true;
}

// The place nearest to the one the hunk names.
int place_of(const std::vector<std::string>& lines, const Hunk& hunk, int shift) {
  for (int off = 0; off <= 20; ++off) {
    for (const int at : {hunk.line - 1 + shift + off, hunk.line - 1 + shift - off}) {
      if (matches(lines, at, hunk.before)) return at;
    }
  }
  return -1;
}

}  // namespace

std::string apply_patch(const std::string& text, const std::string& patch) {
  std::vector<std::string> lines = lines_of(text);
  const std::vector<Hunk> hunks = hunks_of(patch);
  if (hunks.empty()) throw Stop{exit_authoring, "the patch has no hunk", ""};
  int shift = 0;
  for (const Hunk& hunk : hunks) {
    const int at = place_of(lines, hunk, shift);
    if (at < 0) {
      throw Stop{
          exit_authoring,
          "a hunk for line " + std::to_string(hunk.line) + " does not apply",
          "the solution changed since the patch was made"};
    }
    const auto begin = lines.begin() + at;
    lines.insert(
        lines.erase(begin, begin + static_cast<std::ptrdiff_t>(hunk.before.size())),
        hunk.after.begin(),
        hunk.after.end());
    shift += static_cast<int>(hunk.after.size()) - static_cast<int>(hunk.before.size());
  }
  std::string out;
  for (const std::string& line : lines)
    out += line + "\n";
  return out;
}

}  // namespace hypatia::runner
