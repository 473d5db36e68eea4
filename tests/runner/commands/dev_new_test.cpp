// What `dev new` writes is an exercise: its texts hold together, and every part of it compiles.
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

Outcome compile(const Toy& toy, const std::string& file, const std::string& more = "-Wall") {
  Task task;
  task.words = {"c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", more};
  for (const char* folder : {"", "/engine/include", "/exercises"})
    task.words.push_back("-I" + root() + folder);
  task.words.push_back((toy.scratch.path / file).string());
  task.limit_seconds = 120;
  return run(task);
}

}  // namespace

TEST(DevNew, WritesAnExerciseWhoseTextsHoldTogether) {
  const Toy toy;
  EXPECT_EQ(toy.hypatia({"dev", "new", "12_mine"}).code, 0);
  const Outcome outcome = toy.hypatia({"dev", "check", "12", "--texts"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "0 failed")) << outcome.output;
}

TEST(DevNew, WritesWhatCompiles) {
  const Toy toy;
  toy.hypatia({"dev", "new", "12_mine"});
  for (const char* file :
       {"exercises/12_mine/exercise.cpp",
        "exercises/12_mine/check.cpp",
        "exercises/12_mine/border.cpp",
        "solutions/12_mine/solution.cpp"}) {
    const Outcome outcome = compile(toy, file);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }
  const Outcome judge = compile(toy, "exercises/12_mine/border.cpp", "-DHYPATIA_JUDGE");
  EXPECT_EQ(judge.code, 0) << judge.output;
}

TEST(DevNew, RefusesNamesThatAreNone) {
  const Toy toy;
  EXPECT_EQ(toy.hypatia({"dev", "new"}).code, 2);
  EXPECT_EQ(toy.hypatia({"dev", "new", "mine"}).code, 2);
  EXPECT_EQ(toy.hypatia({"dev", "new", "00_other"}).code, 2);
}

}  // namespace hypatia::runner
