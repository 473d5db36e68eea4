// What `dev new` writes is an exercise: its texts hold together, and every part of it compiles.
#include <gtest/gtest.h>

#include "exercises/runner/placeholders.h"
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
  toy.scratch.write("docs/course/tags.md", read_file(root() + "/docs/course/tags.md"));
  EXPECT_EQ(toy.hypatia({"dev", "new", "12_mine"}).code, 0);
  for (const char* words : placeholders) {  // the author's part, told one by one
    const Outcome outcome = toy.hypatia({"dev", "check", "12", "--texts"});
    EXPECT_EQ(outcome.code, 8) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, " 1 failed")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "replace what dev new wrote")) << outcome.output;
    for (const char* file :
         {"exercises/12_mine/README.md",
          "exercises/12_mine/exercise.cpp",
          "solutions/12_mine/solution.cpp"}) {
      std::string text = toy.scratch.read(file);
      const std::size_t at = text.find(words);
      if (at == std::string::npos) continue;
      toy.scratch.write(file, text.replace(at, std::string(words).size(), "of my own"));
    }
  }
  const Outcome outcome = toy.hypatia({"dev", "check", "12", "--texts"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "0 failed")) << outcome.output;
}

TEST(DevNew, TakesTheTitleFromTheName) {
  const Toy toy;
  const Outcome outcome = toy.hypatia({"dev", "new", "12_softmax_temp"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const std::string folder = "exercises/12_softmax_temp/";
  EXPECT_TRUE(toy.scratch.read(folder + "README.md").starts_with("# 12 Softmax temp\n"));
  EXPECT_TRUE(contains(toy.scratch.read(folder + "exercise.json"), "\"title\": \"Softmax temp\""));
}

TEST(DevNew, SaysWhatIsWrongWithAName) {
  const Toy toy;
  for (const auto& [name, said] : std::vector<std::pair<std::string, std::string>>{
           {"12_Bad-Name", "it has capitals, it has hyphens (write _)"},
           {"mine", "it does not begin with two digits and _"},
           {"12_über", "it has signs other than letters, digits and _"},
           {"12_" + std::string(30, 'x'), "it has more than 32 signs"}}) {
    const Outcome outcome = toy.hypatia({"dev", "new", name});
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, said)) << outcome.output;
  }
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
