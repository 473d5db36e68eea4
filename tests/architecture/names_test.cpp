// Names: no type is defined twice. Two types of one name in one namespace are one to the linker,
// which keeps a single copy of each inline member: programs then read objects of the one as objects
// of the other.
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

// Comments, strings and characters say nothing about scopes.
std::string bare(const std::string& text) {
  static const std::regex noise(
      "//[^\n]*|/\\*[^]*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])'",
      std::regex::optimize);
  std::string left;
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t raw = text.compare(i, 2, "R\"") == 0 ? text.find('(', i) : std::string::npos;
    if (raw != std::string::npos) {
      const std::string end = ")" + text.substr(i + 2, raw - i - 2) + "\"";
      left += std::regex_replace(text.substr(done, i - done), noise, " ");
      i = done = std::min(text.size(), text.find(end, raw)) + end.size();
    } else {
      ++i;
    }
  }
  if (done < text.size()) left += std::regex_replace(text.substr(done), noise, " ");
  return left;
}

// A type that other files can see too, as "hypatia::Array"; in a nameless namespace it is the
// file's own.
std::set<std::string> types_of(const File& file) {
  static const std::regex opening(
      "namespace\\s*([\\w:]*)\\s*\\{|"
      "(?:struct|class|enum|union)\\s+(?:class\\s+)?(\\w+)(?:\\s+final)?\\s*(?::[^:;{(][^;{(]*)?\\{"
      "|"
      "\\{|\\}",
      std::regex::optimize);
  std::set<std::string> types;
  std::vector<std::string> scopes;  // a namespace's name, "-" for every other brace
  const std::string text = bare(file.text);
  for (std::sregex_iterator at(text.begin(), text.end(), opening), end; at != end; ++at) {
    const std::string found = at->str();
    if (found == "}") {
      if (!scopes.empty()) scopes.pop_back();
      continue;
    }
    bool shared = true;
    std::string name;
    for (const std::string& scope : scopes) {
      shared = shared && !scope.empty() && scope != "-";
      name += scope + "::";
    }
    const bool type = (*at)[2].matched;
    if (type && shared) types.insert(name + (*at)[2].str());
    scopes.push_back(type || found == "{" ? "-" : (*at)[1].str());
  }
  return types;
}

}  // namespace

TEST(Names, AreFoundWithTheirNamespaces) {
  const File file{
      "a.h",
      "namespace a { struct B : C { enum class D { e }; }; // struct F {\n"
      "namespace { class G final {}; } enum class H : int { i }; struct J; }"};
  EXPECT_EQ(types_of(file), (std::set<std::string>{"a::B", "a::H"}));
}

TEST(Names, OfTypesAreDefinedOnce) {
  std::map<std::string, std::vector<std::string>> files;
  for (const File& file : code()) {
    // Each exercise, check and solution is a program of its own.
    if (file.below("solutions") || file.path.find("/mutants/") != std::string::npos) continue;
    if (file.below("exercises") && !file.below("exercises/runner")) continue;
    for (const std::string& type : types_of(file))
      files[type].push_back(file.path);
  }
  EXPECT_GT(files.size(), 300u);
  std::vector<std::string> violations;
  for (const auto& [type, paths] : files) {
    if (paths.size() < 2) continue;
    violations.push_back(type + ": " + paths[0] + " and " + paths[1]);
  }
  EXPECT_TRUE(violations.empty()) << joined(violations);
}

}  // namespace hypatia::architecture
