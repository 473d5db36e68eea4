#include "engine/run/write_through.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <unordered_map>

#include "engine/graph/concrete.h"
#include "engine/ops/iota.h"
#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

/// The copies saved in a function of one float32 matrix of 20 by 30.
std::size_t saved(Variable (*expression)(const Variable& x), bool also_the_input = false) {
  const Variable x = matrix("x", DType::float32);
  Vars outputs{expression(x)};
  if (also_the_input) outputs.push_back(exp(outputs[0]) + 1);
  Graph graph({x}, outputs);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  const std::unordered_map<Variable, Type, VariableHash> types{{x, x.type().with_dims({20, 30})}};
  return write_through(make_plan(graph, Concrete(graph, types))).size();
}

TEST(WriteThrough, SavesTheCopyOfAnElementwiseResult) {
  EXPECT_EQ(saved([](const Variable& x) { return exp(x); }), 1U);
}

TEST(WriteThrough, SavesTheCopiesOfSeveralResultsOfOneKernel) {
  EXPECT_EQ(saved([](const Variable& x) { return exp(x); }, true), 2U);
}

TEST(WriteThrough, PassesOverCoordinatesWhichHaveNoMemory) {
  const auto with_places = [](const Variable& x) {
    return exp(x) + cast(dimshuffle(iota(x.shape(1)), {-1, 0}), DType::float32);
  };
  EXPECT_EQ(saved(with_places), 1U);
}

TEST(WriteThrough, KeepsCopiesOfFolds) {
  EXPECT_EQ(saved([](const Variable& x) { return sum(x, 1); }), 0U);
}

TEST(WriteThrough, KeepsCopiesOfProducts) {
  EXPECT_EQ(saved([](const Variable& x) { return dot(x, x.T()); }), 0U);
}

TEST(WriteThrough, KeepsCopiesOfNarrowElements) {
  EXPECT_EQ(saved([](const Variable& x) { return x > 0; }), 0U);
}

TEST(WriteThrough, KeepsCopiesOfWhatTheDeviceReadsAgain) {
  const Variable x = matrix("x", DType::float32);
  const Variable y = exp(x);
  Graph graph({x}, {y, dot(y, y.T())});
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  const std::unordered_map<Variable, Type, VariableHash> types{{x, x.type().with_dims({20, 30})}};
  EXPECT_EQ(write_through(make_plan(graph, Concrete(graph, types))).size(), 0U);
}

}  // namespace
}  // namespace hypatia
