// Differences of texts and of outputs.
#include "exercises/runner/difference.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Difference, ShowsTheFewestChanges) {
  EXPECT_EQ(line_difference("a\nb\nc\nd\n", "a\nB\nc\nd\n", 1), "  a\n- b\n+ B\n  c\n");
  EXPECT_EQ(line_difference("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(line_difference("", "x\n"), "+ x\n");
  EXPECT_EQ(
      line_difference("1\n2\n3\n4\n5\n6\n", "0\n2\n3\n4\n5\n7\n", 0), "- 1\n+ 0\n...\n- 6\n+ 7\n");
}

TEST(Difference, WhatVariesFromRunToRunIsMarked) {
  EXPECT_EQ(
      steady({"took 1.25 s\nsum 3\n", "took 1.31 s\nsum 3\n", "took 1.25 s\nsum 3\n"}),
      "took … s\nsum 3\n");
  EXPECT_EQ(steady({"one\n", "one\ntwo words\n"}), "one\n…\n");
  EXPECT_EQ(steady({"  kept   blanks 1\n"}), "  kept   blanks 1\n");
}

TEST(Difference, LinesAreComparedByWordsAndNumbers) {
  EXPECT_TRUE(same_line("cost 17.7292514", "cost 17.7292515", 1e-5));
  EXPECT_FALSE(same_line("cost 17.7", "cost 17.8", 1e-5));
  EXPECT_TRUE(same_line("took … s", "took 4 s", 0));
  EXPECT_FALSE(same_line("a b", "a b c", 0));
  EXPECT_FALSE(same_line("on cpu", "on gpu", 1));
}

}  // namespace hypatia::runner
