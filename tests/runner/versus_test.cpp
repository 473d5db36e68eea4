// Two programs in turns: ratios with a range, never bare times.
#include "exercises/runner/versus.h"

#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

Versus two_functions() {
  Versus versus;
  versus.pairs = 3;
  versus.duels = {
      {"train", {30, 22, 40}, {10, 11, 10}, 0, 0, 0, 9},
      {"once", {30, 22, 40}, {10, 11, 10}, 0, 0, 0, 1},
      {"<mine>", {5, 5, 5}, {}, 0, 0, 0, 9}};
  for (Duel& duel : versus.duels)
    judge(duel);
  return versus;
}

}  // namespace

TEST(Versus, RatiosAreOfPairs) {
  const Versus versus = two_functions();
  EXPECT_DOUBLE_EQ(versus.duels[0].ratio, 3);
  EXPECT_DOUBLE_EQ(versus.duels[0].least, 2);
  EXPECT_DOUBLE_EQ(versus.duels[0].most, 4);
  EXPECT_EQ(versus.duels[2].ratio, 0);
}

TEST(Versus, ATableAndAPictureNameTheRange) {
  const Versus versus = two_functions();
  const std::string text = to_text(versus, "the solution's");
  EXPECT_TRUE(contains(text, "slower")) << text;
  EXPECT_TRUE(contains(text, "too few calls to tell")) << text;
  EXPECT_TRUE(contains(text, "only yours")) << text;
  EXPECT_TRUE(contains(text, "3 pairs of runs")) << text;
  const std::string svg = svg_of(versus, "00_toy", "the solution's");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_TRUE(contains(svg, "&lt;mine&gt;")) << "names are escaped";
  EXPECT_TRUE(contains(svg, ">3.00</text>"));
}

TEST(Versus, OnePairHasNoRangeAndGivesNoVerdict) {
  Versus versus;
  versus.pairs = 1;
  versus.duels = {{"train", {30}, {10}, 0, 0, 0, 9}};
  judge(versus.duels[0]);
  const std::string text = to_text(versus, "the solution's");
  EXPECT_TRUE(contains(text, "one pair of runs, which has no range")) << text;
  EXPECT_TRUE(contains(text, "too few pairs to tell")) << text;
  EXPECT_FALSE(contains(text, "median")) << text;
  EXPECT_TRUE(contains(svg_of(versus, "00_toy", "the solution's"), "1 pair of runs"));
}

TEST(Versus, ComparingNeedsAPassOrAPeek) {
  const Toy toy;
  EXPECT_EQ(toy.hypatia({"compare", "00", "--diff"}).code, 1);
  const Outcome peek = toy.hypatia({"compare", "00", "--diff", "--peek"});
  EXPECT_EQ(peek.code, 0) << peek.output;
  EXPECT_TRUE(contains(peek.output, "-   echo $((40 + 1))\n+   echo $((40 + 2))")) << peek.output;
  EXPECT_FALSE(contains(peek.output, "edit between")) << peek.output;
  EXPECT_TRUE(contains(toy.scratch.read(".hypatia/state.jsonl"), "\"solution\""));
}

}  // namespace hypatia::runner
