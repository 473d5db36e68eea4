// Words: the repository speaks of the project alone, and leaves nothing for later.
#include <gtest/gtest.h>
#include <regex>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

struct Forbidden {
  std::regex pattern;
  const char* why;

  Forbidden(const char* words, const char* reason)
      : pattern(words, std::regex::icase | std::regex::optimize), why(reason) {}
};

// Patterns are cut in two so that this file does not find itself.
const std::vector<Forbidden>& forbidden() {
  static const std::vector<Forbidden> all{
      {"\\bTO"
       "DO\\b|\\bFIX"
       "ME\\b|\\bXX"
       "X\\b",
       "work left over"},
      {"/wo"
       "rk/|/tmp/br"
       "ief",
       "a path of one machine"},
      {"\\bis"
       "sue #?[0-9]|\\bis"
       "sues? [0-9]",
       "a tracker's number"},
      {"\\bcl"
       "aude\\b|\\banth"
       "ropic\\b|\\bsub"
       "agent|\\bLL"
       "M\\b",
       "a tool of the workplace"},
      {"\\bpypi\\.or"
       "g|\\bregistry\\.np"
       "m|\\bcrates\\.i"
       "o",
       "a registry's host"},
      {"\\bthis ses"
       "sion\\b|\\bnext ses"
       "sion\\b",
       "the course of the work"},
  };
  return all;
}

std::vector<std::string> violations(const File& file) {
  std::vector<std::string> found;
  int number = 0;
  for (const std::string& line : lines_of(file.text)) {
    ++number;
    if (line.size() > 1000) continue;  // data
    for (const Forbidden& rule : forbidden()) {
      if (std::regex_search(line, rule.pattern)) {
        found.push_back(file.path + ":" + std::to_string(number) + " " + rule.why + ": " + line);
      }
    }
  }
  return found;
}

}  // namespace

TEST(Words, SpeakOfTheProjectAlone) {
  std::vector<std::string> found;
  for (const File& file : texts()) {
    const std::vector<std::string> some = violations(file);
    found.insert(found.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Words, AForbiddenWordIsSeen) {
  EXPECT_EQ(violations({"a.cpp", std::string("// TO") + "DO later\n"}).size(), 1U);
  EXPECT_EQ(violations({"a.md", std::string("see is") + "sue 12\n"}).size(), 1U);
  EXPECT_EQ(violations({"a.md", "a profiling session of CUPTI\n"}).size(), 0U);
}

}  // namespace hypatia::architecture
