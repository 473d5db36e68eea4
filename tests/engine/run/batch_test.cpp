// What calls of a batch leave out, and how many of them one capture holds.
#include "engine/run/batch.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <unordered_map>

#include "engine/graph/concrete.h"
#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

/// The plan of a function of one float32 matrix of 20 by 20 on a GPU.
Plan plan_on_a_gpu(Vars (*results)(const Variable& x)) {
  const Variable x = shared(Array::ones(DType::float32, {20, 20}), "x", {.target = "cpu"});
  Graph graph({}, results(transfer(x, Place{0})));
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  const std::unordered_map<Variable, Type, VariableHash> types{{x, x.type().with_dims({20, 20})}};
  return make_plan(graph, Concrete(graph, types));
}

/// Names of the steps that hand a result out.
std::vector<std::string> handing_out(const Plan& plan) {
  const std::vector<bool> hand_out = steps_that_hand_out(plan);
  std::vector<std::string> names;
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    if (hand_out[s]) names.push_back(plan.steps[s].name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Batch, LeavesOutTheCopyOfAResult) {
  const Plan plan = plan_on_a_gpu([](const Variable& x) { return Vars{transfer(exp(x), host)}; });
  EXPECT_EQ(handing_out(plan), Names{"HostFromGpu(gpuarray)"});
}

TEST(Batch, LeavesOutASecondCopyForTheCaller) {
  const Plan plan = plan_on_a_gpu([](const Variable& x) {
    return Vars{transfer(exp(x), host), transfer(exp(x), host)};
  });
  EXPECT_EQ(handing_out(plan), (Names{"HostFromGpu(gpuarray)", "copy"}));
}

TEST(Batch, DoesWhatTheHostComputes) {
  const Plan plan =
      plan_on_a_gpu([](const Variable& x) { return Vars{matrix_inverse(transfer(exp(x), host))}; });
  EXPECT_EQ(handing_out(plan), Names{});
}

TEST(Batch, LeavesResultsOnTheDeviceAlone) {
  const Plan plan =
      plan_on_a_gpu([](const Variable& x) { return Vars{transfer(exp(x), Place{0})}; });
  EXPECT_EQ(handing_out(plan), Names{});
}

/// A loop of two launches a trip.
template <int trips>
Vars after_trips(const Variable& x) {
  const ScanResult r = scan(
      [](Variable v, Variable m) { return ScanStep{.outputs = {tanh(dot(v, m))}}; },
      {.outputs_info = {x}, .non_sequences = {x}, .n_steps = trips});
  return {r[0][-1]};
}

TEST(Batch, HoldsFewCallsOfLongLoops) {
  EXPECT_EQ(longest_batch(plan_on_a_gpu([](const Variable& x) { return Vars{exp(x)}; })), 64);
  EXPECT_EQ(longest_batch(plan_on_a_gpu(after_trips<10>)), 64);
  EXPECT_EQ(longest_batch(plan_on_a_gpu(after_trips<100>)), 20);
  EXPECT_EQ(longest_batch(plan_on_a_gpu(after_trips<1000>)), 2);
  EXPECT_EQ(longest_batch(plan_on_a_gpu(after_trips<3000>)), 1);
}

}  // namespace
}  // namespace hypatia
