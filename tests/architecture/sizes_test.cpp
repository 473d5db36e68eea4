// Sizes: files, headers, functions and lines stay small enough to read in one sitting.
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

constexpr std::size_t most_source_lines = 500, most_header_lines = 250, most_columns = 100;
constexpr int most_function_lines = 60, extra_test_lines = 10;
// Its functions are tables of records, which the formatter writes a field a line.
constexpr const char* tables_of_records = "profiler/record/synthetic_logistic.cpp";

struct Function {
  int line = 0, lines = 0;
  std::string head;
};

// The text with comments and literals blanked out, so that braces in them do not count.
std::string bare(const std::string& text) {
  std::string out = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
    return to;
  };
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool line_starts = i == 0 || text[i - 1] == '\n';
    if (text.compare(i, 2, "//") == 0 || (line_starts && c == '#')) {
      i = blank(i, text.find('\n', i));
    } else if (text.compare(i, 2, "/*") == 0) {
      i = blank(i, std::min(text.find("*/", i), text.size()) + 2);
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', i);
      const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      i = blank(i, std::min(text.find(close, i), text.size()) + close.size());
    } else if (
        c == '"' ||
        (c == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c)
        end += text[end] == '\\' ? 2U : 1U;
      i = blank(i, end + 1);
    } else {
      ++i;
    }
  }
  return out;
}

std::string trimmed(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool function_head(const std::string& head) {
  for (const char* word : {"namespace", "class ", "struct ", "enum ", "union ", "extern \"C\""}) {
    if (head.starts_with(word)) return false;
  }
  return head.find('(') != std::string::npos && !head.ends_with("=") && !head.ends_with(",");
}

// How many lines up to each hold nothing but the inside of a literal: a kernel's text is data, and
// does not make the function around it long.
std::vector<int> data_lines_before(const std::string& text, const std::string& code) {
  const std::vector<std::string> before = lines_of(text), after = lines_of(code);
  std::vector<int> sums{0, 0};
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string said = trimmed(before[i]);
    const bool data = !said.empty() && !said.starts_with("//") && trimmed(after[i]).empty();
    sums.push_back(sums.back() + (data ? 1 : 0));
  }
  return sums;
}

// Functions outside other functions, found by their braces.
std::vector<Function> functions_of(const std::string& text) {
  std::vector<Function> found;
  const std::string code = bare(text);

  struct Open {
    bool function;
    int line;
    std::string head;
  };

  std::vector<Open> open;
  std::size_t statement = 0;
  const std::vector<int> data = data_lines_before(text, code);
  int line = 1, inside = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') ++line;
    if (c == '{') {
      const std::string raw = code.substr(statement, i - statement);
      const std::string head = trimmed(raw);
      const bool function = inside == 0 && function_head(head);
      const std::size_t first = std::min(raw.find_first_not_of(" \n"), raw.size());
      const auto below =
          std::count(raw.begin() + static_cast<std::ptrdiff_t>(first), raw.end(), '\n');
      open.push_back({function, line - static_cast<int>(below), head});
      inside += function ? 1 : 0;
    } else if (c == '}' && !open.empty()) {
      if (open.back().function) {
        const int first = open.back().line;
        const auto at = [](int number) { return static_cast<std::size_t>(number); };
        const int lines = line - first + 1 - (data[at(line)] - data[at(first)]);
        found.push_back({first, lines, open.back().head});
        --inside;
      }
      open.pop_back();
    }
    if (c == '{' || c == '}' || c == ';') statement = i + 1;
  }
  return found;
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

TEST(Sizes, FilesAreShort) {
  std::vector<std::string> found;
  std::size_t engine_lines = 0;
  for (const File& file : code()) {
    const std::size_t lines = lines_of(file.text).size();
    if (file.below("engine")) engine_lines += lines;
    const std::size_t most = file.header() ? most_header_lines : most_source_lines;
    if (lines > most) found.push_back(file.path + " has " + std::to_string(lines) + " lines");
  }
  std::cout << "the engine has " << engine_lines << " lines\n";
  RecordProperty("engine_lines", static_cast<int>(engine_lines));
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Sizes, FunctionsAreShort) {
  std::vector<std::string> found;
  std::size_t seen = 0;
  for (const File& file : code()) {
    for (const Function& function : functions_of(file.text)) {
      ++seen;
      const int most = most_function_lines + (file.below("tests") ? extra_test_lines : 0);
      if (function.lines <= most || file.path == tables_of_records) continue;
      found.push_back(
          file.path + ":" + std::to_string(function.line) + " has " +
          std::to_string(function.lines) + " lines: " + function.head.substr(0, 60));
    }
  }
  EXPECT_TRUE(found.empty()) << joined(found);
  EXPECT_GT(seen, 300U) << "functions are no longer recognised";
}

TEST(Sizes, LinesFitTheColumns) {
  std::vector<std::string> found;
  for (const File& file : code()) {
    int number = 0;
    for (const std::string& line : lines_of(file.text)) {
      ++number;
      if (columns(line) > most_columns) found.push_back(file.path + ":" + std::to_string(number));
    }
  }
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Sizes, FunctionsAreRecognised) {
  const std::string text =
      "namespace a {\n"
      "// one { brace\n"
      "int first(int x) {\n"
      "  if (x) {\n"
      "    return '{';\n"
      "  }\n"
      "  return 0;\n"
      "}\n"
      "struct B {\n"
      "  void second(\n"
      "      int y) const {\n"
      "    auto f = [&](int z) { return z; };\n"
      "  }\n"
      "};\n"
      "const char* t = R\"(void not_one() {)\";\n"
      "}\n";
  const std::vector<Function> found = functions_of(text);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].lines, 6);
  EXPECT_EQ(found[1].line, 10);
  EXPECT_EQ(found[1].lines, 4);
}

}  // namespace hypatia::architecture
