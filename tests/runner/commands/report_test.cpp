// `report`: what it takes and writes, and where grades can't be read.
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "exercises/runner/gradebook.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

/// Of learners who handed in nothing that could be judged.
Gradebook book_of(const std::vector<std::string>& names) {
  Gradebook book;
  book.seed = "7";
  for (const std::string& name : names)
    book.learners.push_back({name, "in/" + name, "", {}});
  return book;
}

}  // namespace

TEST(Report, TakesTheFileAsWellAsItsFolder) {
  const Toy toy;
  const Gradebook book = book_of({"anna"});
  toy.scratch.write("grades/grades.json", to_json(book));
  const Outcome folder = toy.hypatia({"report", "grades"});
  const Outcome file = toy.hypatia({"report", "grades/grades.json"});
  EXPECT_EQ(folder.code, 0) << folder.output;
  EXPECT_TRUE(contains(folder.output, "anna")) << folder.output;
  EXPECT_EQ(file.output, folder.output);
  toy.scratch.write("grades/grades.json", "{\"schema\": 1, ");
  const Outcome damaged = toy.hypatia({"report", "grades"});
  EXPECT_EQ(damaged.code, 2) << damaged.output;
  EXPECT_TRUE(contains(damaged.output, "grades.json is damaged")) << damaged.output;
}

TEST(Report, WritesTheFormsOfOtherPrograms) {
  const Toy toy;
  const Gradebook book = book_of({"anna"});
  toy.scratch.write("grades/grades.json", to_json(book));
  const Outcome outcome = toy.hypatia(
      {"report",
       "grades",
       "--csv",
       "c.csv",
       "--junit",
       "j.xml",
       "--gradescope",
       "g.json",
       "--exercism",
       "e.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(toy.scratch.read("c.csv"), to_csv(book));
  EXPECT_EQ(toy.scratch.read("j.xml"), to_junit(book));
  EXPECT_EQ(toy.scratch.read("g.json"), to_gradescope(book, "anna"));
  EXPECT_EQ(toy.scratch.read("e.json"), to_exercism(book, "anna"));
}

TEST(Report, IsOfOneLearnerWhereOneIsNamed) {
  const Toy toy;
  Gradebook book = book_of({"anna", "ben"});
  const Exercise exercise = [] {
    Exercise made;
    made.id = "00_toy";
    return made;
  }();
  book.exercises = {exercise.id};
  for (const char* who : {"anna", "ben"}) {
    Result result;
    result.who = who;
    result.verdict.exercise = &exercise;
    result.verdict.status = "fail";
    result.verdict.message = std::string("what ") + who + " did is too small";
    book.results.push_back(result);
  }
  toy.scratch.write("grades/grades.json", to_json(book));
  const Outcome one = toy.hypatia({"report", "grades", "--learner", "ben"});
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_TRUE(contains(one.output, "ben")) << one.output;
  EXPECT_FALSE(contains(one.output, "anna")) << one.output;
  EXPECT_TRUE(contains(one.output, "00_toy  fail\n  what ben did is too small\n")) << one.output;
  const Outcome nobody = toy.hypatia({"report", "grades", "--learner", "carl"});
  EXPECT_EQ(nobody.code, 2) << nobody.output;
  EXPECT_TRUE(contains(nobody.output, "nobody in these grades is called carl")) << nobody.output;
  EXPECT_TRUE(contains(nobody.output, "there are anna, ben")) << nobody.output;
}

TEST(Report, NamesTheFolderAndTheRightThatIsMissing) {
  namespace fs = std::filesystem;
  const Toy toy;
  fs::permissions(toy.scratch.path, fs::perms::owner_all | fs::perms(0055));
  toy.scratch.write("grades/grades.json", "");
  toy.scratch.write("in/anna/00_toy/exercise.cpp", "");
  for (const char* name : {"grades", "in"})
    fs::permissions(toy.scratch.path / name, fs::perms::none);
  const auto as_nobody = [&](const std::vector<std::string>& words) {
    Task task;
    if (::geteuid() == 0) task.words = {"setpriv", "--reuid", "65534", "--clear-groups"};
    task.words.push_back(program("hypatia"));
    task.words.insert(task.words.end(), words.begin(), words.end());
    task.environment = toy.environment();
    task.folder = toy.scratch.path.string();
    task.limit_seconds = 60;
    return run(task);
  };
  for (const auto& [words, folder] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"report", "grades"}, "grades"}, {{"grade", "in", "--only", "00", "--trust"}, "in"}}) {
    const Outcome outcome = as_nobody(words);
    EXPECT_EQ(outcome.code, 7) << outcome.output;
    EXPECT_TRUE(
        contains(outcome.output, "you may not enter the folder " + folder + ": the right x"))
        << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "unexpected")) << outcome.output;
  }
  for (const char* name : {"grades", "in"})
    fs::permissions(toy.scratch.path / name, fs::perms::owner_all);
}

}  // namespace hypatia::runner
