// Pairs what two recordings of one program took on their devices.
#include "exercises/runner/calibration.h"

#include <gtest/gtest.h>

#include "profiler/record/synthetic.h"

namespace hypatia::runner {
namespace {

TEST(Calibration, FindsTheModelsError) {
  const Recording modelled(synthetic_logistic({.speed = 0.8, .jitter = 0}));
  const Recording measured(synthetic_logistic({.jitter = 0}));
  std::vector<std::string> alone;
  const auto works = calibrate("03", modelled, measured, alone);
  EXPECT_TRUE(alone.empty());
  ASSERT_GT(works.size(), 3U);
  EXPECT_NEAR(median_error(works), 0.25, 0.02);
  EXPECT_GT(works[0].calls, 0);
  EXPECT_TRUE(wrong_rankings(works).empty());
  EXPECT_DOUBLE_EQ(median_error(calibrate("03", measured, measured, alone)), 0);
}

TEST(Calibration, NamesWhatHasNoPartner) {
  const Recording modelled(synthetic_logistic({.fused = false}));
  const Recording measured(synthetic_logistic({.fused = true}));
  std::vector<std::string> alone;
  static_cast<void>(calibrate("03", modelled, measured, alone));
  EXPECT_FALSE(alone.empty());
}

TEST(Calibration, SeesFunctionsThatTheModelRanksTheOtherWay) {
  std::vector<CalibratedWork> works(3);
  works[0] = {"08", "good", "k", "", "kernel", 9, 4e-6, 1e-6};
  works[1] = {"08", "bad", "k", "", "kernel", 9, 2e-6, 3e-6};
  works[2] = {"07", "other", "k", "", "kernel", 9, 1e-6, 9e-6};
  const std::vector<std::string> wrong = wrong_rankings(works);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0], "08: bad takes 3.0 us and good 1.0 us; the model says 2.0 and 4.0");
  works[0].modelled = 1.9e-6;  // within a tenth
  EXPECT_TRUE(wrong_rankings(works).empty());
}

}  // namespace
}  // namespace hypatia::runner
