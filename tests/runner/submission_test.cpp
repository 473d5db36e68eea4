// Bundles and folders are read without trusting them.
#include "exercises/runner/submission.h"

#include <gtest/gtest.h>

#include "exercises/runner/command.h"
#include "runner/class.h"

namespace hypatia::runner {

namespace {

std::vector<Submission> all_in(const Scratch& scratch) {
  return find_submissions({(scratch.path / "in").string()});
}

}  // namespace

TEST(Submission, PathsOfABundle) {
  EXPECT_EQ(exercise_at("00_expressions/exercise.cpp"), "00_expressions");
  EXPECT_EQ(exercise_at("work/exercises/00_expressions/exercise.cpp"), "00_expressions");
  EXPECT_EQ(exercise_at("00_expressions.cpp"), "00_expressions");
  EXPECT_EQ(exercise_at("00_expressions/check.cpp"), "");
  for (const char* outside : {"../00_expressions.cpp", "/etc/passwd", "a/../../b", "a\\b", ""})
    EXPECT_THROW(exercise_at(outside), Stop) << outside;
}

TEST(Submission, AFolderOfThem) {
  const Scratch scratch;
  scratch.write("in/anna/00_expressions/exercise.cpp", "a");
  scratch.write("in/bert/00_expressions.cpp", "b");
  scratch.write("in/notes.txt", "no submission");
  scratch.write("in/.hidden", "not looked at");
  scratch.write("in/earlier/grading.jsonl", "what grade wrote");
  const std::vector<Submission> all = all_in(scratch);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].who, "anna");
  EXPECT_EQ(all[0].files.at("00_expressions"), "a");
  EXPECT_EQ(all[1].files.at("00_expressions"), "b");
  // A folder with exercises is one submission itself.
  EXPECT_EQ(find_submissions({(scratch.path / "in/anna").string()}).size(), 1U);
  EXPECT_THROW(find_submissions({"/no/such/folder"}), Stop);
}

TEST(Submission, WhatIsNoOnesIsLeftOutAndNamed) {
  const Scratch scratch;
  scratch.write("in/anna/00_expressions.cpp", "a");
  for (const char* name : {"notes.txt", "class.csv", "README", ".hidden"})
    scratch.write(std::string("in/") + name, "no submission");
  scratch.write("in/earlier/grading.jsonl", "what grade wrote");
  // What someone handed in in another form must not get lost.
  for (const char* name : {"bert.tar.gz", "carl.rar", "dora.cpp", "emil.ZIP"})
    scratch.write(std::string("in/") + name, "handed in");
  std::filesystem::create_directories(scratch.path / "in/fritz");
  ZipWriter zip((scratch.path / "in/gina_12345").string());
  zip.add("00_expressions.cpp", "g", true);
  zip.commit();
  std::vector<std::string> left_out;
  const std::vector<Submission> all = find_submissions({(scratch.path / "in").string()}, &left_out);
  EXPECT_EQ(left_out, (std::vector<std::string>{"README", "class.csv", "notes.txt"}));
  std::map<std::string, std::string> problems;
  for (const Submission& each : all)
    problems[each.who] = each.problem;
  EXPECT_EQ(problems.size(), 7U);
  EXPECT_EQ(problems["anna"], "");
  EXPECT_EQ(problems["gina_12345"], "") << "a bundle without its ending";
  for (const char* who : {"bert.tar", "carl", "dora"})
    EXPECT_TRUE(problems[who].find("neither a folder nor a .zip") == 0) << problems[who];
  EXPECT_NE(problems["emil"], "");
  EXPECT_EQ(problems["fritz"], "no exercise file is in it");
  // Asked for by its name, it is looked at.
  EXPECT_EQ(find_submissions({(scratch.path / "in/notes.txt").string()}).size(), 1U);
}

TEST(Submission, ABundleTellsItsName) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path / "in");
  ZipWriter zip((scratch.path / "in/x.zip").string());
  zip.add("exercises/00_expressions/exercise.cpp", "text", true);
  zip.add(
      "state.jsonl",
      "{\"time\": \"2026-01-01T10:00:00Z\", \"exercise\": \"00_expressions\", \"event\": "
      "\"check\"}\n{\"time\": 7}\nno line\n",
      true);
  zip.add(
      "manifest.json",
      "{\"who\": \"../An<na\", \"files\": [{\"exercise\": \"00_expressions\", \"sha256\": \"0\"}]}",
      true);
  zip.commit();
  const std::vector<Submission> all = all_in(scratch);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].who, "_An_na");
  EXPECT_EQ(all[0].history.size(), 1U);
  ASSERT_EQ(all[0].notes.size(), 1U);
  EXPECT_NE(all[0].notes[0].find("was changed after"), std::string::npos);
}

TEST(Submission, WhatCannotBeReadIsSaid) {
  const Scratch scratch;
  hand_in_unreadable(scratch);
  scratch.write("in/large/00_expressions.cpp", std::string((1 << 20) + 1, ' '));
  for (const Submission& each : all_in(scratch)) {
    EXPECT_FALSE(each.problem.empty()) << each.who;
    EXPECT_TRUE(each.files.empty()) << each.who;
    if (each.who == "leads_out") {
      EXPECT_NE(each.problem.find("outside of itself"), std::string::npos) << each.problem;
    }
    if (each.who == "a_link" || each.who == "large") {
      EXPECT_EQ(each.notes.size(), 1U) << each.who;
    }
  }
}

TEST(Submission, NoNameIsThereTwice) {
  const Scratch scratch;
  scratch.write("in/a/anna/00_expressions.cpp", "1");
  scratch.write("in/b/anna/00_expressions.cpp", "2");
  const std::vector<Submission> all =
      find_submissions({(scratch.path / "in/a").string(), (scratch.path / "in/b").string()});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].who, "anna");
  EXPECT_EQ(all[1].who, "anna (2)");
}

}  // namespace hypatia::runner
