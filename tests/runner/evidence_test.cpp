// Blocks beside what a command prints, and beside code.
#include "exercises/runner/evidence.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST(Evidence, TimesMayDifferAndCountsMayNot) {
  const std::string printed = "train: 27.1ms a call, 3 nodes\n  23.0ms  removed  Dot22\n";
  EXPECT_TRUE(
      lines_not_printed({"  99.9ms removed Dot22", "train: 1us a call, 3 nodes"}, printed).empty());
  EXPECT_EQ(lines_not_printed({"train: 27.1ms a call, 4 nodes"}, printed).size(), 1U);
  EXPECT_EQ(lines_not_printed({"  23.0ms  removed  Dot"}, printed).size(), 1U);
}

TEST(Evidence, CodeMayHaveBlanksToFillIn) {
  const std::string code = "int f() {\n  return g(1,\n    2);\n}\n";
  EXPECT_TRUE(lines_not_in_code({"return g(______, 2);", "…"}, code).empty());
  EXPECT_TRUE(lines_not_in_code({"  return g(1, 2);   // said"}, code).empty());
  EXPECT_EQ(lines_not_in_code({"return g(2, ______);"}, code), Lines{"return g(2, ______);"});
}

}  // namespace hypatia::runner
