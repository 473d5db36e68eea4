// On the simulated GPU: each step is caught once, and the program computes what it always does.
#include "bench/kernel_loops/catcher.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia::kernel_loops {
namespace {

/// Writes down what it is shown: "halve:0.0(" before a step, ")" after it, "=2" after two steps.
class Listing final : public Audience {
 public:
  void before(const CaughtStep& step) override {
    text += " " + step.function + ":" + std::to_string(step.plan) + "." +
            std::to_string(step.step) + "(";
  }

  void after(const CaughtStep&) override { text += ")"; }

  void after_all(std::span<const CaughtStep> steps) override {
    text += "=" + std::to_string(steps.size());
  }

  std::string text;
};

/// Three calls of a function that updates in place, and one of another with a product.
[[noreturn]] void run_caught() {
  config().set("device", "sim");
  Listing listing;
  Catcher catcher(listing);
  const Shared w = shared(Array::ones(DType::float32, {64, 64}), "w");
  const Function halve =
      function({}, {sum(w)}, {.updates = {{w, w * 0.5F}}, .name = "halve", .observer = &catcher});
  const Function look = function({}, exp(dot(w, w)), {.name = "look", .observer = &catcher});
  float last = 0;
  for (int i = 0; i < 3; ++i)
    last = static_cast<float>(Array(halve()).item());
  const Array looked = asarray(look());
  std::fprintf(
      stderr,
      "sums to %g, then exp is %.4f; caught%s.\n",
      static_cast<double>(last),
      static_cast<double>(looked.data<float>()[7]),
      listing.text.c_str());
  std::_Exit(0);
}

TEST(CatcherDeathTest, EachStepIsCaughtOnceAndStillRuns) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      run_caught(),
      testing::ExitedWithCode(0),
      "sums to 1024, then exp is 2.7183; caught halve:0\\.0\\(\\)=1 "
      "look:1\\.0\\(\\) look:1\\.1\\(\\)=2\\.");
}

}  // namespace
}  // namespace hypatia::kernel_loops
