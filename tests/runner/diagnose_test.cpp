// Deaths in plain words.
#include "exercises/runner/diagnose.h"

#include <csignal>
#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Diagnose, Signals) {
  Outcome outcome;
  outcome.signal = SIGSEGV;
  EXPECT_EQ(diagnose(outcome, 10).tag, "segfault");
  outcome.signal = SIGFPE;
  EXPECT_EQ(diagnose(outcome, 10).tag, "division");
}

TEST(Diagnose, TimeLimit) {
  Outcome outcome;
  outcome.timed_out = true;
  outcome.signal = SIGKILL;
  const Diagnosis diagnosis = diagnose(outcome, 10);
  EXPECT_EQ(diagnosis.tag, "timeout");
  EXPECT_NE(diagnosis.message.find("10 s"), std::string::npos);
}

TEST(Diagnose, SanitizersNameTheUsersLine) {
  Outcome outcome;
  outcome.code = 1;
  outcome.output =
      "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602\n"
      "    #0 0x1 in memcpy (/usr/lib/libasan.so)\n"
      "    #1 0x2 in compile_exp /home/a/exercises/01_exp_test/exercise.cpp:23\n";
  const Diagnosis diagnosis = diagnose(outcome, 10);
  EXPECT_EQ(diagnosis.tag, "out-of-bounds");
  EXPECT_EQ(diagnosis.line, 23);
}

TEST(Diagnose, UncaughtExceptionsAreQuoted) {
  Outcome outcome;
  outcome.signal = SIGABRT;
  outcome.output = "terminate called after throwing\n  what():  shape error: (3,) and (4,)\n";
  const Diagnosis diagnosis = diagnose(outcome, 10);
  EXPECT_EQ(diagnosis.tag, "exception");
  EXPECT_NE(diagnosis.message.find("shape error"), std::string::npos);
}

}  // namespace hypatia::runner
