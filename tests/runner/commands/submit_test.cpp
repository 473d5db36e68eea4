// `submit` says what is handed in, and keeps what is not its own.
#include <filesystem>
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Submit, TellsWhatIsInTheBundleAndWhatIsNotPassed) {
  const Toy toy;
  toy.write(toy.right + "# mine\n");
  const Outcome before = toy.hypatia({"submit", "--who", "anna"});
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_TRUE(contains(before.output, "in it: 00_toy")) << before.output;
  EXPECT_TRUE(contains(before.output, "not passed, as they are: 00_toy")) << before.output;
  EXPECT_EQ(toy.hypatia({"check", "00"}).code, 0);
  const Outcome after = toy.hypatia({"submit", "--who", "anna"});
  EXPECT_EQ(after.code, 0) << "her own bundle is made anew: " << after.output;
  EXPECT_TRUE(contains(after.output, "passed, as they are: all of them")) << after.output;
  EXPECT_FALSE(contains(after.output, "not passed")) << after.output;
  toy.write(toy.wrong + "# mine\n");
  EXPECT_TRUE(contains(toy.hypatia({"submit", "--who", "anna"}).output, "not passed"))
      << "an earlier text passed, not this one";
}

TEST(Submit, KeepsBundlesOfOthers) {
  const Toy toy;
  toy.write(toy.right);
  EXPECT_EQ(toy.hypatia({"submit", "--who", "anna", "--out", "work.zip"}).code, 0);
  const std::string hers = toy.scratch.read("work.zip");
  const Outcome other = toy.hypatia({"submit", "--who", "bert", "--out", "work.zip"});
  EXPECT_EQ(other.code, 2) << other.output;
  EXPECT_TRUE(contains(other.output, "work.zip is there already and is anna's bundle"))
      << other.output;
  EXPECT_EQ(toy.scratch.read("work.zip"), hers);
  toy.scratch.write("holidays.zip", "no bundle");
  const Outcome none = toy.hypatia({"submit", "--who", "bert", "--out", "holidays.zip"});
  EXPECT_EQ(none.code, 2) << none.output;
  EXPECT_TRUE(contains(none.output, "no bundle of submit's")) << none.output;
  EXPECT_EQ(toy.scratch.read("holidays.zip"), "no bundle");
}

TEST(Submit, SaysUnderWhichNameItGoes) {
  const Toy toy;
  toy.write(toy.right);
  const Outcome outcome = toy.hypatia({"submit", "--who", "anna:m?"});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "'anna:m?' goes under the name 'anna_m_'"))
      << outcome.output;
  EXPECT_TRUE(std::filesystem::exists(toy.scratch.path / "anna_m_.zip"));
  EXPECT_FALSE(contains(toy.hypatia({"submit", "--who", "anna"}).output, "goes under"));
}

}  // namespace hypatia::runner
