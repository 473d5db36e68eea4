// Joining, splitting and comparing words.

#include "engine/core/text.h"

#include <algorithm>
#include <cctype>

#include "engine/core/array.h"

namespace hypatia {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// How far a candidate is from a word in lower case; its last part after a dot counts alone too.
int distance(const std::string& word, std::string_view candidate) {
  const std::string name = lower(candidate);
  const int whole = edit_distance(word, name);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || word.find('.') != std::string::npos) return whole;
  return std::min(whole, edit_distance(word, std::string_view(name).substr(dot + 1)));
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
  }
  return parts;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string counted(std::int64_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string number_text(double value) {
  return to_text(Array(value));
}

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes: two back, the last, this one.
  std::vector<int> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::vector<std::string> near_names(
    std::string_view word, std::span<const std::string> candidates) {
  const std::string name = lower(word);
  const int limit = std::max(1, (static_cast<int>(name.size()) + 1) / 3);
  std::vector<std::string> names;
  int nearest = limit;
  for (const std::string& candidate : candidates) {
    const int d = distance(name, candidate);
    if (d < nearest) names.clear();
    if (d > nearest || names.size() == 3) continue;
    nearest = d;
    names.push_back(candidate);
  }
  return names;
}

}  // namespace hypatia
