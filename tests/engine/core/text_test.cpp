// Joining, splitting and names that look alike.
#include "engine/core/text.h"

#include <cmath>
#include <gtest/gtest.h>

namespace hypatia {
namespace {

using Names = std::vector<std::string>;

TEST(Text, JoinsAndSplits) {
  EXPECT_EQ(join(Names{"a", "b"}), "a, b");
  EXPECT_EQ(join(Names{}), "");
  EXPECT_EQ(split("a:b::c", ':'), (Names{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ':'), Names{""});
  EXPECT_EQ(split("a:", ':'), (Names{"a", ""}));
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Text, CountsAndNumbers) {
  EXPECT_EQ(counted(1, "input"), "1 input");
  EXPECT_EQ(counted(0, "input"), "0 inputs");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(-2), "-2.0");
  EXPECT_EQ(number_text(NAN), "nan");
}

TEST(Text, DistancesCountEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("flaotX", "floatX"), 1);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
}

TEST(Text, NearNamesAreTheNearestOnes) {
  const Names names{"profile", "profile_memory", "nvcc.fastmath", "optimizer", "floatX"};
  EXPECT_EQ(near_names("profle", names), Names{"profile"});
  EXPECT_EQ(near_names("FLOATX", names), Names{"floatX"});
  EXPECT_EQ(near_names("fast_math", names), Names{"nvcc.fastmath"});
  EXPECT_EQ(near_names("qqqqqq", names), Names{});
  EXPECT_EQ(near_names("aab", Names{"aaa", "abb", "bbb"}), (Names{"aaa", "abb"}));
  EXPECT_EQ(near_names("aab", Names{"aaa", "aab"}), Names{"aab"});
  EXPECT_EQ(near_names("ab", Names{"aa", "bb", "ac", "ad"}), (Names{"aa", "bb", "ac"}));
}

}  // namespace
}  // namespace hypatia
