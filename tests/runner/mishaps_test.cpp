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

TEST(Mishaps, ABadExerciseIsToldInWordsAndStopsNoOther) {
  const Toy toy;
  std::string sheet = toy.scratch.read("exercises/00_toy/exercise.json");
  const auto without = [&](const std::string& words, const std::string& now) {
    std::string text = sheet;
    return text.replace(text.find(words), words.size(), now);
  };
  const std::string file = "exercises/01_bad/exercise.json";
  toy.scratch.write("exercises/01_bad/check.cpp", "");
  toy.scratch.write("solutions/01_bad/solution.cpp", "");
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {without("\n", "\n,"), "exercise.json, line 2: this is no JSON"},
           {without("\"minutes\": 1,", ""), "exercise.json: the key 'minutes' is missing"},
           {without("\"tag\": \"wrong-value\"", "\"tag\": 5"),
            "'starter.tag' should be a text, not 5"},
           {without("\"level\": 2, ", ""), "the key 'hints[1].level' is missing"},
           {"[]", "exercise.json: a sheet is an object"}}) {
    toy.scratch.write(file, text);
    const Outcome list = toy.hypatia({"list"});
    EXPECT_EQ(list.code, 0) << list.output;
    EXPECT_TRUE(contains(list.output, said)) << list.output;
    EXPECT_TRUE(contains(list.output, "00_toy")) << list.output;
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"dev", "check", "01"}, {"check", "bad"}}) {
      const Outcome of_it = toy.hypatia(words);
      EXPECT_EQ(of_it.code, 8) << of_it.output;
      EXPECT_TRUE(contains(of_it.output, said)) << of_it.output;
      EXPECT_FALSE(contains(of_it.output, "json.exception")) << of_it.output;
    }
    EXPECT_FALSE(contains(toy.hypatia({"check", "00"}).output, said)) << "that is another's";
  }
  const Outcome all = toy.hypatia({"dev", "check", "--texts"});
  EXPECT_EQ(all.code, 8) << all.output;
  EXPECT_TRUE(contains(all.output, "01_bad  fail  it is whole and can be read")) << all.output;
}

TEST(Mishaps, AnExerciseWithoutItsFilesIsLeftOutInOneSentence) {
  const Toy toy;
  std::filesystem::create_directories(toy.scratch.path / "exercises/13_empty");
  const std::string said =
      "exercise 13_empty is left out; missing: exercises/13_empty/exercise.json, "
      "exercises/13_empty/check.cpp, solutions/13_empty/solution.cpp";
  EXPECT_EQ(toy.hypatia({"list"}).code, 0);
  EXPECT_TRUE(contains(toy.hypatia({"list"}).output, said)) << toy.hypatia({"list"}).output;
  EXPECT_TRUE(contains(toy.hypatia({"dev", "check", "13"}).output, said));
  EXPECT_EQ(toy.hypatia({"dev", "check", "13"}).code, 8);
  EXPECT_EQ(toy.hypatia({"dev", "new", "13_other"}).code, 2) << "the number is taken";
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

TEST(Mishaps, AnExerciseMayBeNamedByAPath) {
  const Toy toy;
  const std::string folder = (toy.scratch.path / "exercises/00_toy").string();
  for (const std::string& path :
       {std::string("exercises/00_toy/exercise.cpp"),
        std::string("./exercises/00_toy/"),
        std::string("solutions/00_toy/solution.cpp"),
        folder,
        folder + "/exercise.cpp"}) {
    EXPECT_EQ(toy.hypatia({"check", path, "--solution"}).code, 0) << path;
  }
  const Outcome other = toy.hypatia({"check", "elsewhere/00_toy/exercise.cpp"});
  EXPECT_EQ(other.code, 2) << other.output;
  EXPECT_TRUE(contains(other.output, "there is no exercise 'elsewhere/00_toy/exercise.cpp'"));
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
