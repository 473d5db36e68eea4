// Hints follow the last failure, and can be asked for by task.
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

// The toy's sheet with hints for two failures and a task.
void give_tags(const Toy& toy) {
  toy.sheet("");
  std::string sheet = toy.scratch.read("exercises/00_toy/exercise.json");
  sheet.replace(
      sheet.find(R"("hints": [)"),
      std::string::npos,
      R"("hints": [{"level": 1, "file": "hints/1.md", "tags": ["other"], "task": 1},
      {"level": 2, "file": "hints/2.md", "tags": ["wrong-value"], "task": 2},
      {"level": 3, "file": "hints/3.md"}]})");
  toy.scratch.write("exercises/00_toy/exercise.json", sheet);
}

std::string hint(const Toy& toy, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"hint", "00"};
  words.insert(words.end(), more.begin(), more.end());
  return toy.hypatia(words).output;
}

}  // namespace

TEST(Hint, SaysALittleMoreEachTime) {
  const Toy toy;
  EXPECT_TRUE(contains(hint(toy), "hint 1 of 3\n\nLook at the number."));
  EXPECT_TRUE(contains(hint(toy), "hint 2 of 3"));
  const std::string last = hint(toy);
  EXPECT_TRUE(contains(last, "hint 3 of 3"));
  EXPECT_FALSE(contains(last, "a little more")) << last;
  EXPECT_TRUE(contains(hint(toy), "hint 3 of 3"));
  EXPECT_TRUE(contains(toy.hypatia({"show", "00"}).output, "3 of 3 seen")) << "each counts once";
}

TEST(Hint, FollowsTheLastFailure) {
  const Toy toy;
  give_tags(toy);
  EXPECT_EQ(toy.hypatia({"check", "00"}).code, 1);
  EXPECT_TRUE(contains(hint(toy), "hint 2 of 3, about your last failure"));
  EXPECT_TRUE(contains(hint(toy), "hint 3 of 3\n")) << "then what says more";
  EXPECT_TRUE(contains(hint(toy), "hint 1 of 3\n"));
}

TEST(Hint, CanBeAskedForByTaskAndByLevel) {
  const Toy toy;
  give_tags(toy);
  EXPECT_TRUE(contains(hint(toy, {"--task", "2"}), "hint 2 of 3"));
  EXPECT_TRUE(contains(hint(toy, {"--task", "2"}), "hint 3 of 3"));
  EXPECT_TRUE(contains(hint(toy, {"--level", "1"}), "hint 1 of 3"));
  const Outcome outcome = toy.hypatia({"hint", "00", "--task", "3"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.output, "the tasks with hints of their own are 1 to 2"));
}

}  // namespace hypatia::runner
