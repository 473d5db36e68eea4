// Unified diffs.
#include "exercises/runner/patch.h"

#include <gtest/gtest.h>

#include "exercises/runner/command.h"

namespace hypatia::runner {

TEST(Patch, ChangesLines) {
  const std::string patch = "--- a/s\n+++ b/s\n@@ -2,2 +2,3 @@\n two\n-three\n+3\n+3.5\n";
  EXPECT_EQ(apply_patch("one\ntwo\nthree\nfour\n", patch), "one\ntwo\n3\n3.5\nfour\n");
}

TEST(Patch, FindsAShiftedPlace) {
  EXPECT_EQ(apply_patch("new\none\ntwo\n", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"), "new\none\n2\n");
}

TEST(Patch, RefusesWhatDoesNotFit) {
  EXPECT_THROW(apply_patch("one\n", "@@ -1,1 +1,1 @@\n-two\n+2\n"), Stop);
  EXPECT_THROW(apply_patch("one\n", "no hunk\n"), Stop);
}

}  // namespace hypatia::runner
