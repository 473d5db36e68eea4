// `show` tells an exercise's text and budget, `open` where its files are and what opens them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Show, TellsTheStatementTheBudgetOrBoth) {
  const Toy toy;
  toy.hypatia({"hint", "00"});
  const std::string both = toy.hypatia({"show", "00"}).output;
  EXPECT_TRUE(contains(both, "## What to do")) << both;
  EXPECT_TRUE(contains(both, "10 s to build, 1 s to run")) << both;
  EXPECT_TRUE(contains(both, "hints    1 of 3 seen\n")) << both;
  EXPECT_TRUE(contains(both, "0 of 1 answered")) << both;
  const std::string budget = toy.hypatia({"show", "00", "--section", "budget"}).output;
  EXPECT_FALSE(contains(budget, "## What to do")) << budget;
  EXPECT_TRUE(contains(budget, "about 1 min\n")) << budget;
  const std::string statement = toy.hypatia({"show", "00", "--section", "statement"}).output;
  EXPECT_EQ(statement, toy.scratch.read("exercises/00_toy/README.md") + "\n");
  const Outcome wrong = toy.hypatia({"show", "00", "--section", "bugdet"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.output, "Did you mean 'budget'?")) << wrong.output;
}

TEST(Show, GivesJson) {
  const Toy toy;
  const nlohmann::json all = nlohmann::json::parse(toy.hypatia({"show", "00", "--json"}).output);
  EXPECT_EQ(all.at("exercise").at("seconds").at("build"), 10);
  EXPECT_EQ(all.at("exercise").at("state"), "pending");
  EXPECT_TRUE(contains(all.at("statement"), "# 00 The toy"));
}

TEST(Open, NamesTheLineToEditAndStartsTheEditorThatIsNamed) {
  const Toy toy;
  const std::string plain = toy.hypatia({"open"}).output;
  EXPECT_TRUE(contains(plain, "exercises/00_toy/README.md")) << plain;
  EXPECT_TRUE(contains(plain, "exercises/00_toy/exercise.cpp:3")) << plain;
  const nlohmann::json told = nlohmann::json::parse(toy.hypatia({"open", "00", "--json"}).output);
  EXPECT_EQ(told.at("line"), 3);
  const Outcome edited = toy.hypatia({"open", "00", "--editor", "sed -i s/1/2/"});
  EXPECT_EQ(edited.code, 0) << edited.output;
  EXPECT_TRUE(contains(toy.scratch.read("exercises/00_toy/exercise.cpp"), "$((40 + 2))"));
  const Outcome none = toy.hypatia({"open", "00", "--editor", "no-such-editor"});
  EXPECT_EQ(none.code, 7);
  EXPECT_TRUE(contains(none.output, "'no-such-editor' did not end well")) << none.output;
}

TEST(Open, LeavesTheEnvironmentsEditorToTerminals) {
  const Toy toy;
  EXPECT_EQ(toy.hypatia({"open", "00"}, {{"VISUAL", "sed -i s/1/2/"}}).code, 0);
  EXPECT_EQ(toy.scratch.read("exercises/00_toy/exercise.cpp"), toy.wrong);
}

}  // namespace hypatia::runner
