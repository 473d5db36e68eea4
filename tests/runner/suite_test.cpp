// GoogleTest's output is read, also of a program that died.
#include "exercises/runner/suite.h"

#include <csignal>
#include <gtest/gtest.h>

namespace hypatia::runner {

namespace {

Outcome printed(const std::string& output, int code = 0, int signal = 0) {
  Outcome outcome;
  outcome.output = output;
  outcome.code = code;
  outcome.signal = signal;
  return outcome;
}

}  // namespace

TEST(Suite, CountsEachKind) {
  const Sums sums = read_google_test(
      "engine",
      printed(
          "[ RUN      ] A.Good\n[       OK ] A.Good (0 ms)\n"
          "[ RUN      ] A.Bad\nf.cpp:3: Failure\n[  FAILED  ] A.Bad (1 ms)\n"
          "[ RUN      ] A.Off\nf.cpp:9: Skipped\nno GPU here\n[  SKIPPED ] A.Off (0 ms)\n"
          "[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Bad\n",
          1));
  EXPECT_EQ(sums.passed, 1);
  ASSERT_EQ(sums.failed.size(), 1U);
  EXPECT_EQ(sums.failed[0].test, "engine: A.Bad");
  EXPECT_EQ(sums.failed[0].text, "f.cpp:3: Failure\n");
  ASSERT_EQ(sums.skipped.size(), 1U);
  EXPECT_NE(sums.skipped[0].text.find("no GPU here"), std::string::npos);
}

TEST(Suite, ADeathIsAFailureOfTheRunningTest) {
  const Sums sums =
      read_google_test("engine", printed("[ RUN      ] A.Dies\nlast words\n", 0, SIGSEGV));
  ASSERT_EQ(sums.failed.size(), 1U);
  EXPECT_EQ(sums.failed[0].test, "engine: A.Dies");
  EXPECT_NE(sums.failed[0].text.find("last words"), std::string::npos);
}

TEST(Suite, AProgramThatFailsWithoutATestIsAFailure) {
  EXPECT_EQ(read_google_test("engine", printed("cannot start\n", 1)).failed.size(), 1U);
}

}  // namespace hypatia::runner
