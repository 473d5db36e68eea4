// What `list` shows of a course, filter by filter.
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

bool lists(const Toy& toy, const std::vector<std::string>& filter) {
  std::vector<std::string> words{"list"};
  words.insert(words.end(), filter.begin(), filter.end());
  const Outcome outcome = toy.hypatia(words);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  return contains(outcome.output, "00_toy");
}

}  // namespace

TEST(List, FiltersByWhereTheLearnerStands) {
  const Toy toy;
  EXPECT_TRUE(lists(toy, {"--pending"}) && lists(toy, {"--ready"}));
  EXPECT_FALSE(lists(toy, {"--failing"}) || lists(toy, {"--done"}));
  toy.hypatia({"check", "00"});
  EXPECT_TRUE(lists(toy, {"--failing"}) && lists(toy, {"--ready"}));
  toy.write(toy.right);
  EXPECT_EQ(toy.hypatia({"check", "00"}).code, 0);
  EXPECT_TRUE(lists(toy, {"--done"}));
  EXPECT_FALSE(lists(toy, {"--failing"}) || lists(toy, {"--ready"}) || lists(toy, {"--pending"}));
}

TEST(List, FiltersByWhatAnExerciseIs) {
  const Toy toy;
  EXPECT_TRUE(lists(toy, {"--teaches", "numbers"}) && lists(toy, {"--needs", "none"}));
  EXPECT_TRUE(lists(toy, {"--max-minutes", "1"}) && lists(toy, {"--grep", "TOY|none"}));
  EXPECT_FALSE(lists(toy, {"--teaches", "scan"}) || lists(toy, {"--needs", "gpu"}));
  EXPECT_FALSE(lists(toy, {"--max-minutes", "0.5"}) || lists(toy, {"--grep", "^x"}));
  EXPECT_EQ(toy.hypatia({"list", "--needs", "tpu"}).code, 2);
  EXPECT_EQ(toy.hypatia({"list", "--grep", "("}).code, 2);
}

TEST(List, IsReadyOnceWhatItNeedsIsPassed) {
  const Toy toy;
  std::string sheet = toy.scratch.read("exercises/00_toy/exercise.json");
  sheet.replace(sheet.find("\"needs\": []"), 11, "\"needs\": [\"00_toy\"]");
  toy.scratch.write("exercises/01_next/exercise.json", sheet);
  toy.scratch.write("exercises/01_next/check.cpp", "");
  toy.scratch.write("solutions/01_next/solution.cpp", "");
  const Outcome outcome = toy.hypatia({"list", "--ready"});
  EXPECT_TRUE(contains(outcome.output, "00_toy"));
  EXPECT_FALSE(contains(outcome.output, "01_next")) << outcome.output;
}

TEST(List, WritesCommaSeparatedValues) {
  const Toy toy;
  EXPECT_EQ(
      toy.hypatia({"list", "--csv"}).output,
      "state,exercise,minutes,title\n\"-\",\"00_toy\",\"1 min\",\"a toy\"\n");
}

}  // namespace hypatia::runner
