// Reports of checks are read without trusting the program that wrote them.
#include "exercises/runner/checker.h"

#include <gtest/gtest.h>
#include <random>
#include <stdlib.h>

#include "tests/runner/toy.h"

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

TEST(Checker, FieldsOfAnotherTypeAreNoProof) {
  bool ended = false;
  const std::vector<TestResult> tests = read_report(
      "{\"begin\": 3}\n"
      "{\"test\": [1], \"status\": {\"pass\": true}, \"tag\": 0, \"used\": \"1\"}\n"
      "{\"begin\": null}\n{\"test\": \"b\", \"status\": \"passed\"}\n{\"end\": \"2\"}\n",
      ended);
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_EQ(tests[0].status, "fail");
  EXPECT_EQ(tests[1].status, "fail");
  EXPECT_FALSE(ended);
  EXPECT_TRUE(read_measured("{\"measured\": 1, \"value\": 2}\n{\"measured\": \"a\"}\n").empty());
}

TEST(Checker, AnyReportBecomesAVerdictThatCanBeWritten) {
  const std::string report =
      "{\"begin\": \"sample\"}\n{\"measured\": \"nodes\", \"value\": 1e3}\n"
      "{\"test\": \"sample\", \"status\": \"fail\", \"tag\": \"wrong-value\", \"message\": \"é\", "
      "\"expected\": \"1\", \"got\": \"nan\", \"used\": 1e300, \"ms\": 0.5}\n{\"end\": 1}\n";
  std::mt19937 random(7);
  const auto any = [&](std::size_t most) { return random() % most; };
  for (int round = 0; round < 2000; ++round) {
    std::string changed = report;
    for (std::size_t i = 0; i <= any(6); ++i)
      changed[any(changed.size())] = static_cast<char>(random());
    if (any(4) == 0) changed.resize(any(changed.size()));
    if (any(4) == 0) changed.insert(any(changed.size()), report, any(20), any(60));
    Outcome outcome;
    outcome.report = changed;
    outcome.output = changed;
    Verdict verdict;
    verdict.exercise = &find_exercise("00");
    read_verdict(verdict, outcome, 1);
    EXPECT_FALSE(verdict.passed()) << changed;
    EXPECT_FALSE(to_text(verdict).empty());
    EXPECT_FALSE(to_json({verdict}).empty());
  }
}

TEST(Checker, WhatALearnersProgramWritesEndsInAVerdict) {
  const Toy toy;
  for (const char* body :
       {"head -c 100000 /dev/zero | tr '\\0' '\\377'; echo 41",
        "printf '{\"begin\": 3}\\n{\"test\": [], \"status\": {}}\\n' >&$HYPATIA_REPORT; echo 41",
        "printf '{\"end\": 1}\\n' >&$HYPATIA_REPORT; kill $$",
        "printf '\\377\\376\\0{\"test\": \"value\", \"status\": \"pa' >&$HYPATIA_REPORT; echo nan",
        "echo inf; echo '-nan(0x7)'"}) {
    toy.write("answer() {\n  " + std::string(body) + "\n}\nmain() { answer; }\n");
    const Outcome text = toy.hypatia({"check", "00"}),
                  json = toy.hypatia({"check", "00", "--json"});
    for (const Outcome* outcome : {&text, &json})
      EXPECT_TRUE(outcome->code == 1 || outcome->code == 5) << body << "\n" << outcome->output;
    EXPECT_TRUE(contains(text.output, "NOT YET")) << body << "\n" << text.output;
    EXPECT_TRUE(contains(json.output, "\"verdicts\"")) << body << "\n" << json.output;
  }
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
  std::vector<std::string> told;
  CheckRequest request;
  request.exercise = &exercise;
  request.program = (scratch.path / "program").string();
  request.device = "sim";
  request.race = true;
  request.told = [&](const std::string& line) { told.push_back(line); };
  EXPECT_TRUE(check(request).passed());
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(
      told[0], "00_expressions: run 1 of 3, every access checked, threads in ascending order");
  EXPECT_EQ(told[2], "00_expressions: run 3 of 3, every access checked, threads in random order");
}

}  // namespace hypatia::runner
