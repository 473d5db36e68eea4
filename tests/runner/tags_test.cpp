// Every tag that a check, the runner or the simulated GPU may name has a section of the page.
#include "exercises/runner/tags.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "exercises/runner/places.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

// Words in the places where tags stand in calls of the checks' functions and in the sheets.
std::set<std::string> tags_of(const std::string& text) {
  static const std::regex place(
      "(?:fail|expect)\\([^;]*?\"([a-z]+(?:-[a-z]+)*)\",|\"tag\": \"([a-z-]+)\"|"
      "\\.tag = \"([a-z-]+)\"|return \\{\\s*\"([a-z-]+)\", \"it |tag == \"([a-z-]+)\"");
  std::set<std::string> tags;
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    for (std::size_t group = 1; group <= 5; ++group) {
      if ((*at)[group].matched) tags.insert((*at)[group]);
    }
  }
  return tags;
}

// Those that the checked simulator reports.
std::set<std::string> tags_of_checker(const std::string& text) {
  static const std::regex call("found_at\\(([^,]*),"), quoted("\"([a-z-]+)\"");
  std::set<std::string> tags;
  for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
    const std::string first = (*at)[1];
    for (std::sregex_iterator tag(first.begin(), first.end(), quoted); tag != end; ++tag)
      tags.insert((*tag)[1]);
  }
  return tags;
}

}  // namespace

TEST(Tags, SectionsAreRead) {
  const std::vector<TagPage> pages = tag_pages("# Title\n\n## a, b-c\n\ntext\n\n## d\n\nmore\n");
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[1].tag, "b-c");
  EXPECT_EQ(pages[1].text, "text\n\n");
  EXPECT_EQ(pages[2].text, "more\n");
}

TEST(Tags, EachHasAPage) {
  std::set<std::string> known;
  for (const TagPage& page : tag_pages(read_file(root() + "/docs/course/tags.md"))) {
    EXPECT_TRUE(known.insert(page.tag).second) << page.tag << " has two sections";
    EXPECT_GT(page.text.size(), 60U) << page.tag;
  }
  std::set<std::string> used;
  for (const char* folder : {"/exercises", "/engine/device/sim"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root() + folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind == ".cpp" || kind == ".json") used.merge(tags_of(read_file(entry.path().string())));
    }
  }
  const auto reported = tags_of_checker(read_file(root() + "/engine/device/sim/checker.cpp"));
  EXPECT_EQ(reported.count("out-of-bounds"), 1U);
  used.insert(reported.begin(), reported.end());
  used.erase("fail");  // a status
  EXPECT_GT(used.size(), 30U);
  for (const std::string& tag : used)
    EXPECT_EQ(known.count(tag), 1U) << tag << " has no section in docs/course/tags.md";
}

TEST(Tags, ExplainPrintsTheLastFailuresPage) {
  const Toy toy;
  toy.scratch.write("docs/course/tags.md", "# Tags\n\n## wrong-value\n\nA number is wrong.\n");
  EXPECT_EQ(toy.hypatia({"explain"}).code, 2);
  const Outcome none = toy.hypatia({"explain", "00"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.output, "no check of 00_toy has failed yet")) << none.output;
  const Outcome check = toy.hypatia({"check", "00"});
  EXPECT_TRUE(contains(check.output, "[wrong-value]")) << check.output;
  EXPECT_TRUE(contains(check.output, "./hypatia explain wrong-value")) << check.output;
  EXPECT_TRUE(contains(toy.hypatia({"explain"}).output, "A number is wrong."));
  EXPECT_TRUE(contains(toy.hypatia({"explain", "00"}).output, "A number is wrong."));
  EXPECT_TRUE(contains(toy.hypatia({"explain", "wrong-valu"}).output, "Did you mean"));
}

TEST(Tags, ExplainKnowsTheWordsOfReports) {
  const std::vector<TagPage> words = tag_pages(read_file(root() + "/docs/course/words.md"));
  const std::string tags = read_file(root() + "/docs/course/tags.md");
  std::set<std::string> known;
  const Toy toy;
  toy.scratch.write("docs/course/tags.md", tags);
  toy.scratch.write("docs/course/words.md", read_file(root() + "/docs/course/words.md"));
  for (const TagPage& page : words) {
    EXPECT_TRUE(known.insert(page.tag).second) << page.tag << " has two sections";
    const Outcome told = toy.hypatia({"explain", page.tag});
    EXPECT_EQ(told.code, 0) << told.output;
    EXPECT_TRUE(contains(told.output, page.text)) << told.output;
    for (const TagPage& tag : tag_pages(tags))
      EXPECT_NE(tag.tag, page.tag) << "a tag and a word";
  }
  // What transfers, merged nodes, loops and tables print.
  for (const char* word :
       {"HostFromGpu",
        "GpuFromHost",
        "GpuToGpu",
        "Composite",
        "DimShuffle",
        "in place",
        "view",
        "Spent",
        "transfert",
        "scan",
        "by cuDNN",
        "≈",
        "approximate",
        "leaves early"}) {
    EXPECT_EQ(known.count(word), 1U) << word << " has no section in docs/course/words.md";
  }
  EXPECT_EQ(toy.hypatia({"explain", "leaves", "early"}).code, 0);
  EXPECT_EQ(toy.hypatia({"explain", "hostfromgpu"}).code, 0);
}

}  // namespace hypatia::runner
