// Sizes that data decides: loops that stop by themselves are counted by compiled code.
#include "engine/run/data_sizes.h"

#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

int evaluated = 0;

/// 2x + 1, which notes each reference evaluation.
const Op noted_op{
    .name = "Noted",
    .doc = "2x + 1",
    .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0]); },
    .lowering =
        KernelLowering{.host_c = "for (long i = first; i < last; ++i) z0[i] = 2 * x0[i] + 1;"},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      ++evaluated;
      Array out = call.in[0].copy();
      for (double& v : out.span<double>())
        v = 2 * v + 1;
      return {out};
    },
};

/// 1 by its reference and 0 by its text: as if rounding fell the other way in compiled code.
const Op torn_op{
    .name = "Torn",
    .doc = "a number on the edge",
    .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0]); },
    .lowering = KernelLowering{.host_c = "for (long i = first; i < last; ++i) z0[i] = 0;"},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      return {Array::ones(DType::float64, call.in[0].dims())};
    },
};

TEST(DataSizes, WhatWasDecidedHoldsThroughTheCall) {
  const ChangeFlags flags({{"compile.background", "False"}});
  const Variable x = vector("x", DType::float64);
  const Variable high = apply(torn_op, {x}) > 0.5;
  const Array found = asarray(Array(function({x}, nonzero(high)[0])(Array({7.0, 8.0, 9.0}))));
  EXPECT_EQ(to_text(found), "[0 1 2]");
  const Variable chosen = ifelse(high.sum() > 2, exp(join(0, {x, x})), exp(-x));
  const Array branch = asarray(Array(function({x}, chosen)(Array({0.0, 0.0, 0.0}))));
  EXPECT_EQ(to_text(branch), "[ 1.  1.  1.  1.  1.  1.]");
}

TEST(DataSizes, LoopsThatStopByThemselvesAreCountedByCompiledCode) {
  const Variable x = vector("x", DType::float64);
  const ScanResult r = scan(
      [](Variable before) {
        const Variable next = apply(noted_op, {before});
        return ScanStep{.outputs = {next}, .until = next.sum() > 100};
      },
      {.outputs_info = {x}, .n_steps = 50});
  const Function f = function({x}, r[0]);
  f(Array({0, 1}));
  evaluated = 0;
  for (const double start : {0.0, 10.0, 40.0}) {
    const Array rows = asarray(Array(f(Array({start, 1.0}))));
    double a = start, b = 1;
    std::int64_t steps = 0;
    while (a + b <= 100 || steps == 0) {
      a = 2 * a + 1;
      b = 2 * b + 1;
      ++steps;
    }
    ASSERT_EQ(rows.dim(0), steps);
    EXPECT_EQ(rows.at({steps - 1, 0}), a);
  }
  EXPECT_EQ(evaluated, 0);
}

TEST(DataSizes, AreFoundAnewOnlyWhereNumbersChanged) {
  const Variable n = vector("n", DType::float64), x = vector("x", DType::float64);
  const Variable count = cast(apply(noted_op, {n}).sum(), DType::int64);
  const Function f = function({n, x}, {alloc(1.5, {count}), x[count]});
  Array number({1.0});
  const Array ten = Array::ones(DType::float64, {10});
  EXPECT_EQ(Array(f(number, ten)[0]).dim(0), 3);
  evaluated = 0;
  EXPECT_EQ(Array(f(number, ten)[0]).dim(0), 3);
  EXPECT_EQ(Array(f(Array({1.0}), ten)[0]).dim(0), 3);
  EXPECT_EQ(evaluated, 0);
  number.data<double>()[0] = 2;
  EXPECT_EQ(Array(f(number, ten)[0]).dim(0), 5) << "in place";
  EXPECT_EQ(evaluated, 1);
  EXPECT_THROW(f(number, Array::ones(DType::float64, {4})), Error);
  EXPECT_THROW(f(number, Array::ones(DType::float64, {4})), Error) << "out of bounds again";
  EXPECT_EQ(Array(f(number, ten)[0]).dim(0), 5);
}

// On a GPU numbers arrive some time after the call that made them.
TEST(DataSizes, NumbersAreReadWhenTheyHaveArrived) {
  const Variable x = vector("x", DType::float64), first = vector("first", DType::float64);
  const ScanResult r = scan(
      [](Variable before, Variable seen) {
        return ScanStep{.outputs = {2 * before + 1, seen + before}, .until = before > 100};
      },
      {.outputs_info = {sum(first), first}, .n_steps = 50});
  const Function last = function({first}, {r[0][-1], sum(r[1])});
  const Shared count = shared(Array(std::int64_t{0}), "count");
  const Variable rounded = cast(sum(exp(x)), DType::int64);
  const Function sum_up = function({x}, Outputs{}, {.updates = {{count, rounded}}});
  const Function rows = function({}, alloc(1.5, {count}));
  for (const double start : {200.0, 0.0, 90.0, 3.0, 200.0, 40.0}) {
    double expected = 2 * start + 1;
    for (double before = start; before <= 100; expected = 2 * expected + 1)
      before = expected;
    EXPECT_EQ(asarray(last(Array({start}))[0]).item(), expected) << start;
    sum_up(Array({0.0, 0.0, start / 50}));
    EXPECT_EQ(Array(rows()).dim(0), static_cast<std::int64_t>(2 + std::exp(start / 50)));
  }
}

TEST(DataSizes, RowsThatDecideSizesAreStillRead) {
  // The number of steps of the second loop is the last value of the first.
  const ScanResult first = scan(
      [](Variable before) { return ScanStep{.outputs = {before + 2}, .until = before > 3}; },
      {.outputs_info = {constant(Array(std::int64_t{0}))}, .n_steps = 50});
  const Variable x = scalar("x", DType::float64);
  const ScanResult second =
      scan([](Variable v) { return v * 2; }, {.outputs_info = {x}, .n_steps = first[0][-1]});
  const Array rows = asarray(Array(function({x}, second[0])(1.0)));
  EXPECT_EQ(rows.dim(0), 6);
  EXPECT_EQ(rows.at({5}), 64);
}

}  // namespace
}  // namespace hypatia
