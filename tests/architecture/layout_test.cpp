// Layout: every folder with code has its page, tests carry the names of what they test, and the
// front page names the two commands.
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

namespace fs = std::filesystem;

std::set<std::string> paths() {
  std::set<std::string> all;
  for (const File& file : texts())
    all.insert(file.path);
  return all;
}

// Where the code lies that a test folder speaks of.
std::string mirrored(const std::string& test) {
  std::string path = test.substr(std::string("tests/").size());
  path = path.substr(0, path.size() - std::string("_test.cpp").size());
  return path.starts_with("runner/") ? "exercises/" + path : path;
}

bool has_subject(const std::string& test, const std::set<std::string>& all) {
  const std::string subject = mirrored(test);
  return all.count(subject + ".h") || all.count(subject + ".cpp") ||
         fs::is_directory(fs::path(root()) / subject);
}

}  // namespace

TEST(Layout, FoldersWithCodeHaveAPage) {
  const std::set<std::string> all = paths();
  std::vector<std::string> missing;
  for (const std::string& folder : code_folders()) {
    // A page speaks for the folders below it that hold one kind of file.
    bool found = false;
    for (fs::path at = folder; !found && at.has_relative_path(); at = at.parent_path()) {
      found = all.count((at / "README.md").string()) > 0;
      const bool inner =
          at.string().find("/commands") != std::string::npos || at.string().starts_with("tests/") ||
          at.string().starts_with("solutions/") || at.string().starts_with("engine/include");
      if (!inner) break;
    }
    if (!found) missing.push_back(folder + "/README.md");
  }
  EXPECT_TRUE(missing.empty()) << joined(missing);
}

TEST(Layout, TestsCarryTheNameOfTheirSubject) {
  const std::set<std::string> all = paths();
  std::vector<std::string> found;
  for (const std::string& path : all) {
    if (!path.starts_with("tests/") || !path.ends_with("_test.cpp")) continue;
    if (path.starts_with("tests/architecture/") || path.starts_with("tests/errors/")) continue;
    if (!has_subject(path, all)) found.push_back(path + " mirrors nothing at " + mirrored(path));
  }
  EXPECT_TRUE(found.empty()) << joined(found);
  EXPECT_TRUE(has_subject("tests/engine/core/array_test.cpp", all));
  EXPECT_FALSE(has_subject("tests/engine/core/nothing_test.cpp", all));
}

TEST(Layout, TestSourcesAreTests) {
  std::vector<std::string> found;
  for (const File& file : code()) {
    if (!file.below("tests") || !file.path.ends_with("_test.cpp")) continue;
    if (file.text.find("TEST") == std::string::npos) found.push_back(file.path);
  }
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(Layout, FrontPageNamesTheTwoCommands) {
  for (const File& file : texts()) {
    if (file.path != "README.md") continue;
    EXPECT_NE(file.text.find("./hypatia tour"), std::string::npos);
    EXPECT_NE(file.text.find("./hypatia test"), std::string::npos);
    return;
  }
  FAIL() << "there is no README.md at the root";
}

TEST(Layout, SourcesOpenWithASentence) {
  std::vector<std::string> found;
  for (const File& file : code()) {
    std::vector<std::string> lines = lines_of(file.text);
    const std::size_t first = !lines.empty() && lines[0] == "#pragma once" ? 1 : 0;
    const bool sentence = lines.size() > first && lines[first].starts_with("// ");
    if (!sentence) found.push_back(file.path + " does not open with a comment");
    if (file.header() && first == 0) found.push_back(file.path + " lacks #pragma once");
  }
  EXPECT_TRUE(found.empty()) << joined(found);
}

}  // namespace hypatia::architecture
