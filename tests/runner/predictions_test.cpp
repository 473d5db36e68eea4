// Predictions are kept, shown beside what was measured, and counted.
#include "exercises/runner/predictions.h"

#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Predictions, AreShownBesideWhatWasMeasured) {
  const Toy toy;
  toy.write(toy.right);
  const Outcome before = toy.hypatia({"check", "00"});
  EXPECT_TRUE(contains(before.output, "kept back until you say what you expect")) << before.output;
  EXPECT_FALSE(contains(before.output, "measured 2"));
  EXPECT_EQ(toy.hypatia({"predict", "00", "--answer", "digits=3"}).code, 0);
  const Outcome after = toy.hypatia({"check", "00"});
  EXPECT_TRUE(contains(after.output, "digits: you said 3, measured 2   off")) << after.output;
  // The first answer counts: by the second the measured value was known.
  toy.hypatia({"predict", "00", "--answer", "digits=2"});
  EXPECT_TRUE(contains(toy.hypatia({"check", "00"}).output, "you said 3"));
  const std::string status = toy.hypatia({"status"}).output;
  EXPECT_TRUE(contains(status, "0 of 1 predictions right; it was off by a factor of 1.5\n"))
      << status;
}

TEST(Predictions, WaitForTheirDevice) {
  const Exercise exercise = [] {
    Exercise e;
    e.number = "00";
    e.questions.resize(2);
    e.questions[0].name = "nodes";
    e.questions[1].name = "bytes";
    e.questions[1].on = "gpu";
    return e;
  }();
  Verdict verdict;
  verdict.exercise = &exercise;
  verdict.status = "pass";
  verdict.predicted = {{"nodes", 1}, {"bytes", 7}};
  verdict.measured = {{"nodes", 1843200}};
  const std::vector<std::string> lines = prediction_lines(verdict);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(contains(lines[0], "measured 1843200 ")) << lines[0];
  EXPECT_TRUE(contains(lines[1], "bytes: you said 7; ./hypatia check 00 --device ")) << lines[1];
}

TEST(Predictions, OfAFailedCheckAreNotShown) {
  const Toy toy;
  toy.hypatia({"predict", "00", "--answer", "digits=3"});
  const Outcome outcome = toy.hypatia({"check", "00"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_FALSE(contains(outcome.output, "you said")) << outcome.output;
}

TEST(Predictions, HowFarOffTheyWereIsSaidOfTheWrongOnesAlone) {
  EXPECT_EQ(to_text({20, 20, 0}), "20 of 20 predictions right");
  EXPECT_EQ(
      to_text({20, 19, 1.5}), "19 of 20 predictions right; the other was off by a factor of 1.5");
  EXPECT_EQ(
      to_text({20, 17, 3}),
      "17 of 20 predictions right; the others were typically off by a factor of 3");
  EXPECT_EQ(to_text({1, 0, 0}), "0 of 1 predictions right") << "a sign has no factor";
}

TEST(Predictions, RefuseWhatIsNoAnswer) {
  const Toy toy;
  const Outcome name = toy.hypatia({"predict", "00", "--answer", "digit=3"});
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(contains(name.output, "Did you mean 'digits'?")) << name.output;
  EXPECT_EQ(toy.hypatia({"predict", "00", "--answer", "digits=many"}).code, 2);
  EXPECT_EQ(toy.hypatia({"predict", "00", "--answer", "digits"}).code, 2);
  EXPECT_EQ(toy.hypatia({"predict", "00", "--answer", "digits=nan"}).code, 2);
}

TEST(Predictions, AreRightWithinWhatTheSheetAllows) {
  Question question;
  question.within = 2;
  EXPECT_TRUE(is_right(question, 8, 10));
  EXPECT_FALSE(is_right(question, 7, 10));
  question.on = "gpu";
  EXPECT_TRUE(is_measured_on(question, "sim:gtx1060"));
  EXPECT_FALSE(is_measured_on(question, "cpu"));
}

}  // namespace hypatia::runner
