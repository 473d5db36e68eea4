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

// A bundle of one exercise; with no name in it if `who` is "".
void zip_into(const Scratch& scratch, const std::string& name, const std::string& who) {
  std::filesystem::create_directories((scratch.path / name).parent_path());
  ZipWriter zip((scratch.path / name).string());
  zip.add("exercises/00_expressions/exercise.cpp", "text", true);
  if (!who.empty()) zip.add("manifest.json", "{\"who\": \"" + who + "\"}", true);
  zip.commit();
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

TEST(Submission, BundlesOneFolderDown) {
  const Scratch scratch;
  const std::string folder = "Anna Maier_1234_assignsubmission_file_";
  zip_into(scratch, "in/" + folder + "/work.zip", "");
  zip_into(scratch, "in/Bert_77_assignsubmission_file_/bert.zip", "bert");
  scratch.write("in/Carl_78_assignsubmission_file_/00_expressions.cpp", "c");
  scratch.write("in/Dora_79_assignsubmission_file_/deeper/dora.zip", "too deep");
  std::map<std::string, Submission> found;
  for (const Submission& each : all_in(scratch))
    found[each.who] = each;
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found["Anna Maier_1234"].problem, "");
  EXPECT_EQ(found["Anna Maier_1234"].files.size(), 1U);
  EXPECT_EQ(found["bert"].problem, "") << "what the bundle says";
  EXPECT_EQ(found["Carl_78"].files.at("00_expressions"), "c");
  EXPECT_EQ(found["Dora_79"].problem, "no exercise file is in it");
}

TEST(Submission, AZipOfZipsIsNamed) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path / "in");
  ZipWriter zip((scratch.path / "in/all.zip").string());
  zip.add("Anna_1/anna.zip", "PK", true);
  zip.commit();
  ASSERT_EQ(all_in(scratch).size(), 1U);
  EXPECT_EQ(all_in(scratch)[0].problem, "it holds anna.zip: unpack it, or give that");
}

TEST(Submission, OfTwoBundlesOfOneBothAreNamedAndTheLaterOne) {
  const Scratch scratch;
  zip_into(scratch, "in/bert (1).zip", "bert");
  zip_into(scratch, "in/bert.zip", "bert");
  const auto now = std::filesystem::last_write_time(scratch.path / "in/bert.zip");
  std::filesystem::last_write_time(scratch.path / "in/bert.zip", now - std::chrono::hours(2));
  const std::vector<Submission> all = all_in(scratch);
  ASSERT_EQ(all.size(), 2U);
  for (const Submission& each : all) {
    ASSERT_EQ(each.notes.size(), 1U) << each.who;
    const std::string& note = each.notes[0];
    EXPECT_NE(note.find("bert (1).zip and "), std::string::npos) << note;
    EXPECT_NE(note.find("bert.zip are both of bert"), std::string::npos) << note;
    EXPECT_NE(note.find("bert (1).zip was changed later, on 20"), std::string::npos) << note;
  }
}

}  // namespace hypatia::runner
