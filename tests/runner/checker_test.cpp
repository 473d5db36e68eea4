// Reports of checks are read without trusting the program that wrote them.
#include "exercises/runner/checker.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/runner/scratch.h"

namespace hypatia::runner {

TEST(Checker, ReadsTests) {
  bool ended = false;
  const std::vector<TestResult> tests = read_report(
      "{\"begin\": \"graph\"}\n"
      "{\"test\": \"graph\", \"status\": \"pass\", \"tag\": \"\", \"used\": 0.5, \"ms\": 1.5}\n"
      "{\"begin\": \"values\"}\n"
      "{\"test\": \"values\", \"status\": \"fail\", \"tag\": \"wrong-value\", \"message\": \"m\"}\n"
      "{\"end\": 2}\n",
      ended);
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_TRUE(ended);
  EXPECT_EQ(tests[0].status, "pass");
  EXPECT_EQ(tests[0].used, 0.5);
  EXPECT_EQ(tests[1].tag, "wrong-value");
}

TEST(Checker, ATestThatNeverEndedFailed) {
  bool ended = true;
  const std::vector<TestResult> tests = read_report("{\"begin\": \"graph\"}\n{\"tes", ended);
  ASSERT_EQ(tests.size(), 1U);
  EXPECT_EQ(tests[0].status, "fail");
  EXPECT_EQ(tests[0].tag, "died");
  EXPECT_FALSE(ended);
}

TEST(Checker, AnEndThatCountsWrongIsNone) {
  bool ended = true;
  read_report("{\"end\": 8}\n", ended);
  EXPECT_FALSE(ended);
}

TEST(Checker, ACompilerThatWasStoppedIsNoTestThatFailed) {
  const Exercise exercise;
  Verdict verdict;
  verdict.exercise = &exercise;
  verdict.status = "timeout";
  verdict.tags = {"slow-build"};
  verdict.message = slow_build(exercise);
  const std::string text = to_text(verdict);
  EXPECT_NE(text.find("the compiler took longer than"), std::string::npos) << text;
  EXPECT_NE(text.find("stopped"), std::string::npos) << text;
  EXPECT_EQ(text.find("tests"), std::string::npos) << text;
}

TEST(Checker, ACheckOfAccessesSaysWhichOfItsRunsItIsAt) {
  const Scratch scratch;
  scratch.write(
      "program",
      "#!/bin/sh\necho '{\"begin\": \"sample\"}' >&$HYPATIA_REPORT\n"
      "echo '{\"test\": \"sample\", \"status\": \"pass\"}' >&$HYPATIA_REPORT\n"
      "echo '{\"end\": 1}' >&$HYPATIA_REPORT\n",
      true);
  Exercise exercise = find_exercise("00");
  exercise.tests = {"sample"};
  static std::vector<std::string> told;
  told.clear();
  CheckRequest request;
  request.exercise = &exercise;
  request.program = (scratch.path / "program").string();
  request.device = "sim";
  request.race = true;
  request.told = [](const std::string& line) { told.push_back(line); };
  EXPECT_TRUE(check(request).passed());
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], "run 1 of 3: every access checked, threads in ascending order");
  EXPECT_EQ(told[2], "run 3 of 3: every access checked, threads in random order");
}

TEST(Checker, FlagsAreAddedToThoseSet) {
  ::setenv("HYPATIA_FLAGS", "floatX=float32", 1);
  EXPECT_EQ(flags_for("sim", "a=b"), "floatX=float32,a=b,device=sim");
  EXPECT_EQ(flags_for("", ""), "floatX=float32");
  ::unsetenv("HYPATIA_FLAGS");
  EXPECT_EQ(flags_for("cpu", ""), "device=cpu");
}

}  // namespace hypatia::runner
