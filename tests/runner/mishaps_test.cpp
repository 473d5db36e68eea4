// What happens to a newcomer's files and words: each is told in one message, and nothing is lost.
#include <filesystem>
#include <gtest/gtest.h>

#include "tests/runner/terminal.h"

namespace hypatia::runner {

namespace {

void remove_answer(const Toy& toy) {
  std::filesystem::remove(toy.scratch.path / "exercises/00_toy/exercise.cpp");
}

}  // namespace

TEST(Mishaps, AFileThatIsGoneIsToldWithTheWayBack) {
  const Toy toy;
  remove_answer(toy);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", "00"}, {"run", "00"}, {"compare", "00", "--table"}, {"counters", "00"}}) {
    const Outcome outcome = toy.hypatia(words);
    EXPECT_EQ(outcome.code, 3) << words[0] << "\n" << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "exercise.cpp is not there")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "./hypatia reset 00")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "./hypatia undo 00")) << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "ninja")) << outcome.output;
  }
  EXPECT_EQ(toy.hypatia({"check", "00", "--solution"}).code, 0);
}

TEST(Mishaps, WatchTellsOfAFileThatWentAwayAndGoesOnWhenItIsBack) {
  const Toy toy;
  Terminal terminal(toy, {"watch", "00", "--plain"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  remove_answer(toy);
  EXPECT_TRUE(terminal.shows("exercise.cpp is not there")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  toy.write("");
  EXPECT_TRUE(terminal.shows("checking")) << "an empty file that stays empty is an answer too";
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  toy.write(toy.right);
  EXPECT_TRUE(terminal.shows("PASSED")) << terminal.seen();
}

TEST(Mishaps, WhatTheLinkerMissesIsNamedWithoutALineThatIsNone) {
  const Toy toy;
  toy.scratch.write(
      "build/tool.sh",
      "echo \"x.o: in function f: undefined reference to \\`answer()'\"; exit 1\n");
  for (const char* verb : {"check", "run"}) {
    const Outcome outcome = toy.hypatia({verb, "00"});
    EXPECT_EQ(outcome.code, 3) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "the linker did not find `answer()'")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "in your file")) << outcome.output;
    EXPECT_FALSE(contains(outcome.output, ":0 ")) << outcome.output;
  }
}

TEST(Mishaps, AVerdictAndAHintAreShownAlsoWhereTheyCannotBeRemembered) {
  const Toy toy;
  // A folder where the journal should be: root may write everywhere else.
  std::filesystem::create_directories(toy.scratch.path / ".hypatia/state.jsonl");
  toy.write(toy.right);
  const Outcome check = toy.hypatia({"check", "00"});
  EXPECT_EQ(check.code, 0) << check.output;
  EXPECT_TRUE(contains(check.output, "PASSED")) << check.output;
  EXPECT_TRUE(contains(check.output, "is not remembered: ")) << check.output;
  EXPECT_TRUE(contains(check.output, "Is a directory")) << "the system's reason";
  const Outcome hint = toy.hypatia({"hint", "00"});
  EXPECT_EQ(hint.code, 0) << hint.output;
  EXPECT_TRUE(contains(hint.output, "Look at the number")) << hint.output;
}

TEST(Mishaps, SeveralExercisesAreTwoCommands) {
  const Toy toy;
  const Outcome several = toy.hypatia({"check", "00", "01"});
  EXPECT_EQ(several.code, 2);
  EXPECT_TRUE(contains(several.output, "check takes one NN (the exercise, or all), not 2"))
      << several.output;
  EXPECT_TRUE(contains(several.output, "./hypatia check 00")) << several.output;
  const Outcome none = toy.hypatia({"next", "00"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.output, "next takes no words, and got '00'")) << none.output;
  const Outcome near = toy.hypatia({"check", "tyo"});
  EXPECT_TRUE(contains(near.output, "Did you mean 'toy'?")) << near.output;
}

TEST(Mishaps, AFolderWithoutSubmissionsIsTold) {
  const Toy toy;
  toy.scratch.write("in/notes.txt", "no submission");
  const Outcome outcome = toy.hypatia({"grade", "in"});
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "no submission in in, only notes.txt")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "NN_name/exercise.cpp")) << outcome.output;
  EXPECT_FALSE(std::filesystem::exists(toy.scratch.path / "grades"));
}

TEST(Mishaps, AListFitsANarrowTerminal) {
  const Toy toy;
  toy.sheet("\"level\": 1, ");
  std::string sheet = toy.scratch.read("exercises/00_toy/exercise.json");
  const std::string title = "a toy";
  sheet.replace(sheet.find(title), title.size(), std::string(80, 'x'));
  toy.scratch.write("exercises/00_toy/exercise.json", sheet);
  Terminal terminal(toy, {"list"}, 60);
  EXPECT_FALSE(terminal.shows("never shown", 3));
  EXPECT_TRUE(contains(terminal.seen(), "00_toy")) << terminal.seen();
  EXPECT_TRUE(contains(terminal.seen(), "x…")) << terminal.seen();
  EXPECT_FALSE(contains(terminal.seen(), std::string(60, 'x'))) << terminal.seen();
  EXPECT_TRUE(contains(toy.hypatia({"list"}).output, std::string(80, 'x'))) << "a file gets it all";
}

}  // namespace hypatia::runner
