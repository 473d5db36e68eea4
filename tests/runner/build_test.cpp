// Compilers' messages.
#include "exercises/runner/build.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Build, ErrorsComeBeforeWarnings) {
  const std::vector<Complaint> found = complaints_of(
      "[1/2] Building CXX object a.o\n"
      "/x/exercise.cpp:7:3: warning: unused variable 'a' [-Wunused]\n"
      "/x/exercise.cpp:12:10: error: 'y' was not declared in this scope\n"
      "   12 |   return y;\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].error);
  EXPECT_EQ(found[0].file, "/x/exercise.cpp");
  EXPECT_EQ(found[0].line, 12);
  EXPECT_EQ(found[0].text, "'y' was not declared in this scope");
  EXPECT_FALSE(found[1].error);
}

TEST(Build, AMissingFunctionIsTold) {
  const std::vector<Complaint> found =
      complaints_of("check.cpp: undefined reference to `compile_exp(Shared const&)'\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].text.find("compile_exp"), std::string::npos);
}

}  // namespace hypatia::runner
