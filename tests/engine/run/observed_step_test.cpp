// Replayed calls under an observer that can tell a replay's work apart: every kernel is told once,
// for the call and the step that it belongs to, also where many calls are one submission.
#include "engine/run/observed_step.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <map>
#include <string>

namespace hypatia {
namespace {

/// Counts kernels by call and step.
class Listener final : public Observer {
 public:
  explicit Listener(bool follows) : follows_(follows) {}

  std::uint32_t add_function(const FunctionRecord&) override { return 1; }

  std::uint32_t add_plan(const PlanRecord& plan) override {
    own_steps = plan.steps.size();
    for (const StepRecord& step : plan.steps)
      own_steps -= step.nodes.empty();
    return 1;
  }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return ++calls; }

  void end_call(std::uint32_t, std::uint32_t call, std::int64_t) override { ended[call]++; }

  void begin_step(std::uint32_t, std::uint32_t) override {}

  void end_step(std::uint32_t, std::uint32_t, std::int64_t) override { ++host_steps; }

  bool follows_replays() const override { return follows_; }

  void on(const Event&) override {}

  void on(const Activity& activity) override {
    if (activity.kind != EventKind::kernel) return;
    ++kernels[{activity.call, activity.step}];
    in_graphs += (activity.flags & event_flag::in_graph) != 0;
  }

  std::uint32_t calls = 0;
  std::size_t own_steps = 0;
  int host_steps = 0, in_graphs = 0;
  std::map<std::uint32_t, int> ended;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> kernels;

 private:
  bool follows_;
};

constexpr std::uint32_t single_calls = 10, repeated_calls = 200;
constexpr std::uint32_t all_calls = single_calls + repeated_calls;

/// Two kernels a call, ten calls one by one and two hundred in batches; ends the process.
[[noreturn]] void run(bool follows) {
  config().set("device", std::string("sim"));
  config().set("sim.host_time", std::string("modelled"));
  Listener listener(follows);
  const Shared w = shared(Array::ones(DType::float32, {64, 64}), "w");
  const Shared s = shared(Array::ones(DType::float32, {64}), "s");
  const Function f = function(
      {}, Vars{}, {.updates = {{w, w * 0.5F}, {s, sum(w, 0) + 1.0F}}, .observer = &listener});
  for (std::uint32_t i = 0; i < single_calls; ++i)
    f();
  f.fn({.n_calls = repeated_calls});
  std::size_t once = 0;
  for (const auto& [key, count] : listener.kernels)
    once += count == 1 && key.first >= 1 && key.first <= all_calls && key.second >= 1 &&
            key.second <= listener.own_steps;
  std::fprintf(
      stderr,
      "calls %u ended %zu, kernels told once: %s, in graphs: %s, steps heard: %s\n",
      listener.calls,
      listener.ended.size(),
      once == listener.own_steps * all_calls ? "all" : "not all",
      listener.in_graphs == 0                                                     ? "none"
      : listener.in_graphs > static_cast<int>(listener.own_steps * all_calls / 2) ? "most"
                                                                                  : "some",
      listener.host_steps < static_cast<int>(all_calls) ? "few" : "all");
  std::_Exit(0);
}

class ObservedStepDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(ObservedStepDeathTest, ReplaysAreToldByCallAndStep) {
  EXPECT_EXIT(
      run(true),
      testing::ExitedWithCode(0),
      "calls 210 ended 210, kernels told once: all, in graphs: most, steps heard: few");
}

TEST_F(ObservedStepDeathTest, WhoCannotTellReplaysApartHearsEachStep) {
  EXPECT_EXIT(
      run(false),
      testing::ExitedWithCode(0),
      "calls 210 ended 210, kernels told once: all, in graphs: none, steps heard: all");
}

}  // namespace
}  // namespace hypatia
