// What the command line says of words that it does not understand.
#include <filesystem>
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

/// The words, what is said of them, and what to try.
struct Mistake {
  std::vector<std::string> words;
  std::string said, tried;
};

}  // namespace

TEST(CommandLine, SaysWhatWasExpectedAndWhatToTry) {
  const Toy toy;
  for (const Mistake& mistake : std::vector<Mistake>{
           {{"chek"}, "there is no verb 'chek'", "Did you mean 'check'?"},
           {{"check"}, "check wants NN: the exercise", "as in: ./hypatia check 03; ./hypatia list"},
           {{"run", "00", "--devce", "sim"}, "run has no option --devce", "'--device'?"},
           {{"run", "00", "--devce=sim"}, "run has no option --devce", "'--device'?"},
           {{"check", "00", "--verbosely"}, "check has no option --verbosely", "--solution"},
           {{"hint", "00", "01"}, "hint takes one NN (the exercise), not 2", "./hypatia hint 00"},
           {{"submit", "--who", "../evil"}, "can't be a name in the class", "no slash"},
           {{"submit", "--who"}, "submit: --who", "./hypatia submit --help"},
       }) {
    const Outcome outcome = toy.hypatia(mistake.words);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, mistake.said)) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, mistake.tried)) << outcome.output;
  }
}

TEST(CommandLine, HelpIsAVerbToo) {
  const Toy toy;
  const Outcome all = toy.hypatia({"help"}), one = toy.hypatia({"help", "check"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.output, toy.hypatia({"--help"}).output);
  EXPECT_EQ(one.output, toy.hypatia({"check", "--help"}).output);
}

TEST(Undo, BringsADeletedFileBack) {
  const Toy toy;
  const std::string file = toy.scratch.path.string() + "/exercises/00_toy/exercise.cpp";
  const std::string before = toy.scratch.read("exercises/00_toy/exercise.cpp");
  toy.hypatia({"check", "00"});
  std::filesystem::remove(file);
  const Outcome outcome = toy.hypatia({"undo", "00"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  ASSERT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(toy.scratch.read("exercises/00_toy/exercise.cpp"), before);
}

}  // namespace hypatia::runner
