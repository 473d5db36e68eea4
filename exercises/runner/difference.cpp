#include "exercises/runner/difference.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr const char* varies = "…";

struct Step {
  char sign;  // ' ', '-' or '+'
  std::string text;
};

// By the table of longest common subsequences: files of a course have a few hundred lines.
std::vector<Step> steps_between(
    const std::vector<std::string>& a, const std::vector<std::string>& b, SameLine same) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> common((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          same(a[i], b[j]) ? common[(i + 1) * width + j + 1] + 1
                           : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::vector<Step> steps;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && same(a[i], b[j])) {
      steps.push_back({' ', a[i]});
      ++i;
      ++j;
    } else if (
        j == b.size() ||
        (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      steps.push_back({'-', a[i++]});
    } else {
      steps.push_back({'+', b[j++]});
    }
  }
  return steps;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(line)};
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

// The words of a line with their blanks before them, so that joining gives the line back.
std::vector<std::string> pieces_of(const std::string& line) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool blank = line[i] == ' ';
    const bool starts = i == 0 || (blank && line[i - 1] != ' ');
    if (starts) pieces.emplace_back();
    pieces.back() += line[i];
  }
  return pieces;
}

std::string steady_line(const std::vector<std::string>& lines) {
  std::vector<std::string> all = pieces_of(lines[0]);
  for (const std::string& line : lines) {
    const std::vector<std::string> others = pieces_of(line);
    if (others.size() != all.size()) return varies;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (words_of(all[i]) != words_of(others[i])) {
        all[i] = (all[i][0] == ' ' ? " " : "") + std::string(varies);
      }
    }
  }
  std::string text;
  for (const std::string& piece : all)
    text += piece;
  return text;
}

bool number_of(const std::string& word, double& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string line_difference(
    std::string_view before, std::string_view after, std::size_t around, SameLine same) {
  const std::vector<Step> steps = steps_between(lines_of(before), lines_of(after), same);
  std::vector<bool> kept(steps.size(), false);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].sign == ' ') continue;
    const std::size_t from = i > around ? i - around : 0;
    for (std::size_t k = from; k < std::min(i + around + 1, steps.size()); ++k)
      kept[k] = true;
  }
  std::string text;
  bool gap = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!kept[i]) {
      gap = true;
      continue;
    }
    if (gap && !text.empty()) text += "...\n";
    gap = false;
    text += std::string(1, steps[i].sign) + " " + steps[i].text + "\n";
  }
  return text;
}

std::string steady(const std::vector<std::string>& outputs) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& output : outputs)
    all.push_back(lines_of(output));
  std::size_t longest = 0;
  for (const std::vector<std::string>& lines : all)
    longest = std::max(longest, lines.size());
  std::string text;
  for (std::size_t i = 0; i < longest; ++i) {
    std::vector<std::string> lines;
    for (const std::vector<std::string>& one : all)
      lines.push_back(i < one.size() ? one[i] : "");
    text += steady_line(lines) + "\n";
  }
  return text;
}

bool same_line(std::string_view a, std::string_view b, double relative) {
  const std::vector<std::string> left = words_of(a), right = words_of(b);
  if (left.size() != right.size()) return a == varies || b == varies;
  for (std::size_t i = 0; i < left.size(); ++i) {
    double x = 0, y = 0;
    if (left[i] == right[i] || left[i] == varies || right[i] == varies) continue;
    if (!number_of(left[i], x) || !number_of(right[i], y)) return false;
    if (std::fabs(x - y) > relative * std::max(std::fabs(x), std::fabs(y))) return false;
  }
  return true;
}

}  // namespace hypatia::runner
