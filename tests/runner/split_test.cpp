// The table of a recording's nodes.
#include "exercises/runner/split.h"

#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(SplitTable, SumsTheRowsThatItLeavesOut) {
  Split split;
  for (int row = 9; row > 0; --row) {
    SplitRow node;
    node.name = "node " + std::to_string(row);
    node.cpu = row;
    split.rows.push_back(node);
  }
  const std::string all = to_text(split), some = to_text(split, 3);
  EXPECT_TRUE(contains(all, "node 1 ")) << all;
  EXPECT_FALSE(contains(all, "other nodes")) << all;
  EXPECT_TRUE(contains(some, "node 7 ")) << some;
  EXPECT_FALSE(contains(some, "node 6 ")) << some;
  EXPECT_TRUE(contains(some, "(6 other nodes)                21.000")) << some;
  EXPECT_TRUE(contains(some, "45.000")) << some;
  EXPECT_EQ(to_text(split, 8), all) << "one more is shown rather than counted";
}

}  // namespace hypatia::runner
