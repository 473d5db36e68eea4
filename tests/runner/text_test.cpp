// Text for people.
#include "exercises/runner/text.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Text, WrapsAtBlanks) {
  EXPECT_EQ(wrap("one two three", 8, "  "), "one two\n  three");
  EXPECT_EQ(wrap("kept\nas lines", 80, "> "), "kept\n> as lines");
  EXPECT_EQ(wrap("unbreakableword", 4), "unbreakableword");
  EXPECT_EQ(wrap("a  b", 80), "a  b");
}

TEST(Text, NamesWhatIsNear) {
  EXPECT_EQ(near_names("chek", {"check", "list"}), "Did you mean 'check'?");
  EXPECT_EQ(near_names("check", {"check", "list"}), "");
  EXPECT_EQ(near_names("zzzzzz", {"check", "list"}), "There are: check, list");
}

TEST(Text, TablesAlignNumbersRight) {
  EXPECT_EQ(table({{"a", "10"}, {"bcd", "9"}}), "a    10\nbcd   9\n");
  EXPECT_EQ(
      table({{"a", "3 min 20 s"}, {"b", "0-d: a number is no array"}}),
      "a                 3 min 20 s\nb  0-d: a number is no array\n");
}

TEST(Text, DurationsHaveUnits) {
  EXPECT_EQ(duration(12e-6), "12 us");
  EXPECT_EQ(duration(0.0123), "12.3 ms");
  EXPECT_EQ(duration(1.44), "1.44 s");
  EXPECT_EQ(duration(200), "3 min 20 s");
}

TEST(Text, TailIsTheLastLines) {
  EXPECT_EQ(tail("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(tail("a", 5), "a\n");
  EXPECT_EQ(tail("", 5), "");
}

}  // namespace hypatia::runner
