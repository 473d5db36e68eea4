// Colours, wrapping, tables and near names.
#include "exercises/runner/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/core.h>
#include <numeric>
#include <unistd.h>

namespace hypatia::runner {

namespace {

bool colours_show() {
  static const bool show = ::isatty(1) && !std::getenv("NO_COLOR");
  return show;
}

// Characters, not bytes: continuation bytes of UTF-8 take no column.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string paint(Colour colour, std::string_view text) {
  static constexpr const char* codes[] = {
      "", "\033[32m", "\033[31m", "\033[2m", "\033[1m", "\033[36m"};
  if (colour == Colour::plain || !colours_show()) return std::string(text);
  return codes[static_cast<int>(colour)] + std::string(text) + "\033[0m";
}

std::string link_to(std::string_view path, std::string_view text) {
  if (!colours_show()) return std::string(text);
  std::string url;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("/._-~").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return "\033]8;;file://" + url + "\033\\" + std::string(text) + "\033]8;;\033\\";
}

std::string duration(double seconds) {
  if (seconds < 0.95e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.95) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const int whole = static_cast<int>(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string wrap(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column > indent.size() && column + 1 + columns(word) > width) {
      out += '\n';
      out += indent;
      column = indent.size();
    } else if (column > 0 && at > 0 && text[at - 1] == ' ') {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns(word);
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      out += indent;
      column = indent.size();
    }
    at = end + 1;
  }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns(row[i]), ' ');
      const bool digit = !row[i].empty() && std::isdigit(static_cast<unsigned char>(row[i][0]));
      // "3 min 20 s" is a number with its units; more words are a sentence.
      const bool number = i > 0 && digit && std::count(row[i].begin(), row[i].end(), ' ') < 4;
      line += (i ? "  " : "") + (number ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string near_names(std::string_view word, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  std::size_t least = 3;
  std::string all;
  for (const std::string& name : names) {
    if (name == word) return "";
    const std::size_t edits = edits_between(word, name);
    if (edits < least) {
      least = edits;
      best = &name;
    }
    all += (all.empty() ? "" : ", ") + name;
  }
  if (best) return "Did you mean '" + *best + "'?";
  return "There are: " + all;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == part.npos) continue;
    parts.emplace_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return parts;
}

std::string beginning(std::string_view line, std::size_t most) {
  if (columns(line) <= most) return std::string(line);
  std::size_t end = 0, taken = 0;
  while (end < line.size() && taken + 1 < most) {
    ++end;
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
      ++end;
    ++taken;
  }
  return std::string(line.substr(0, end)) + (most > 0 ? "…" : "");
}

std::string tail(std::string_view text, std::size_t count) {
  const std::vector<std::string> lines = lines_of(text);
  std::string out;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    out += lines[i] + "\n";
  return out;
}

}  // namespace hypatia::runner
