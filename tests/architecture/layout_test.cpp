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

std::string text_of(const std::string& path) {
  for (const File& file : texts()) {
    if (file.path == path) return file.text;
  }
  return "";
}

// Where the code lies that a test folder speaks of.
std::string mirrored(const std::string& test) {
  std::string path = test.substr(std::string("tests/").size());
  path = path.substr(0, path.size() - std::string("_test.cpp").size());
  return path.starts_with("runner/") ? "exercises/" + path : path;
}

// A test lies where its subject lies; of a folder as a whole it may have a name of its own.
bool has_subject(const std::string& test, const std::set<std::string>& all) {
  if (test == "tests/runner/launcher_test.cpp") return all.count("hypatia") > 0;
  const fs::path folder = fs::path(mirrored(test)).parent_path();
  return folder.empty() || fs::is_directory(fs::path(root()) / folder);
}

// Its own, or outside the engine one further up that names it.
bool has_page(const std::string& folder, const std::set<std::string>& all) {
  if (all.count(folder + "/README.md")) return true;
  if (folder.starts_with("engine/") && !folder.starts_with("engine/include")) return false;
  for (fs::path at = fs::path(folder).parent_path(); !at.empty(); at = at.parent_path()) {
    const std::string page = (at / "README.md").string();
    const std::string name = *fs::path(folder).lexically_relative(at).begin();
    if (all.count(page) == 0) continue;
    const bool numbered = std::isdigit(static_cast<unsigned char>(name[0])) != 0;
    const bool mirrored_tests = folder.starts_with("tests/");
    return numbered || mirrored_tests || text_of(page).find(name) != std::string::npos;
  }
  return false;
}

}  // namespace

TEST(Layout, FoldersWithCodeHaveAPage) {
  const std::set<std::string> all = paths();
  std::vector<std::string> missing;
  for (const std::string& folder : code_folders()) {
    if (!has_page(folder, all)) missing.push_back(folder + "/README.md");
  }
  EXPECT_TRUE(missing.empty()) << joined(missing);
}

TEST(Layout, TestsLieWhereTheirSubjectLies) {
  const std::set<std::string> all = paths();
  std::vector<std::string> found;
  for (const std::string& path : all) {
    if (!path.starts_with("tests/") || !path.ends_with("_test.cpp")) continue;
    if (path.starts_with("tests/architecture/") || path.starts_with("tests/errors/")) continue;
    if (!has_subject(path, all)) found.push_back(path + " mirrors nothing at " + mirrored(path));
  }
  EXPECT_TRUE(found.empty()) << joined(found);
  EXPECT_TRUE(has_subject("tests/engine/core/array_test.cpp", all));
  EXPECT_FALSE(has_subject("tests/engine/nowhere/array_test.cpp", all));
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

TEST(Layout, FilesOpenWithASentence) {
  const std::set<std::string> all = paths();
  std::vector<std::string> found;
  for (const File& file : code()) {
    std::vector<std::string> lines = lines_of(file.text);
    std::size_t first = !lines.empty() && lines[0] == "#pragma once" ? 1 : 0;
    if (lines.size() > first && lines[first].empty()) ++first;
    const bool sentence = lines.size() > first && lines[first].starts_with("// ");
    // A source beside a header of its name is introduced by the header.
    const std::string header = file.path.substr(0, file.path.rfind('.')) + ".h";
    if (file.below("tests") || (file.source() && all.count(header))) continue;
    if (!sentence) found.push_back(file.path + " does not open with a comment");
    if (file.header() && first == 0) found.push_back(file.path + " lacks #pragma once");
  }
  EXPECT_TRUE(found.empty()) << joined(found);
}

}  // namespace hypatia::architecture
