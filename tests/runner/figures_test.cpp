// What counts as a figure, and when a value is what it says.
#include "exercises/runner/figures.h"

#include <gtest/gtest.h>

#include "exercises/runner/command.h"

namespace hypatia::runner {

namespace {

using Figures = std::vector<std::string>;

double no_names(const std::string& name) {
  if (name == "x" || name == "a file; field") return 3;
  throw Stop{exit_authoring, "no " + name, ""};
}

}  // namespace

TEST(Figures, AreNumbersWithUnitsCountsAndRatios) {
  EXPECT_EQ(figures_in("It takes 1.25 MB\na step."), Figures{"1.25 MB"});
  EXPECT_EQ(
      figures_in("Five kernels take 38 ms (77.6%)."), (Figures{"five kernels", "38 ms", "77.6%"}));
  EXPECT_EQ(figures_in("a third longer, ten times the work"), (Figures{"a third", "ten times"}));
  EXPECT_EQ(figures_in("0 of 400 are wrong"), Figures{"0 of 400"});
  EXPECT_EQ(figures_in("0.8 million operations"), Figures{"0.8 million operations"});
  EXPECT_EQ(figures_in("6,574 images a second"), Figures{"6,574 images a second"});
  EXPECT_EQ(figures_in("400 points in 10 rows, and half a dozen"), Figures{});
}

TEST(Figures, SayWhatRoundsToThem) {
  EXPECT_TRUE(says("1.25 MB", 1.2544));
  EXPECT_FALSE(says("1.25 MB", 1.26));
  EXPECT_TRUE(says("13,100", 13140));
  EXPECT_FALSE(says("13,100", 13200));
  EXPECT_TRUE(says("five kernels", 5));
  EXPECT_FALSE(says("five kernels", 6));
  EXPECT_TRUE(says("a third", 0.34));
  EXPECT_FALSE(says("a third", 0.25));
  EXPECT_TRUE(says("47 million", 47040000));
  EXPECT_FALSE(says("47 million", 48e6));
}

TEST(Figures, AreComparedWithExpressions) {
  EXPECT_DOUBLE_EQ(value_of("4 * (1000 + 2 * x) / 1e3 - 1", no_names), 4 * 1006 / 1e3 - 1);
  EXPECT_DOUBLE_EQ(value_of("{a file; field} / x", no_names), 1);
  for (const char* wrong : {"", "4 *", "(4", "4 5", "y", "{x"})
    EXPECT_THROW(value_of(wrong, no_names), Stop) << wrong;
}

TEST(Figures, ThatAreMeasuredAnewAreMasked) {
  EXPECT_EQ(without_measured("37.9ms a call, 94.40 times, 3 nodes"), "… a call, … times, 3 nodes");
  EXPECT_EQ(without_measured("35.0% 3.24e-03s C 240 2 conv2d"), "… … C 240 2 conv2d");
  EXPECT_EQ(without_measured("in 0.002s(20.38%) of 12 s"), "in …(…) of … s");
}

}  // namespace hypatia::runner
