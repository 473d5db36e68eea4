// Loops: the order of arguments, taps, ends, updates, gradients, and every mistake told.
#include "engine/loop/scan.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

/// The summary of the error that `make` throws; "" if it throws none.
template <class F>
std::string error_of(F make) {
  try {
    make();
  } catch (const Error& error) {
    return error.summary();
  }
  return "";
}

TEST(Scan, ArgumentsComeInTheOrderOfTheOptions) {
  const Variable s1 = dvector("S1"), s2 = dvector("S2"), s3 = dvector("S3");
  const Variable o1 = dvector("O1"), o3 = scalar("O3", DType::float64);
  const Variable a1 = scalar("A1", DType::float64), a2 = scalar("A2", DType::float64);
  std::vector<std::string> names;
  scan(
      [&](const Vars& all) {
        for (const Variable& v : all)
          names.push_back(v.name());
        return Vars{all[5], all[0], all[7]};
      },
      {
          .sequences = {taps(s1, {-3, 2, -1}), s2, taps(s3, {3})},
          .outputs_info = {taps(o1, {-3, -5}), none, o3},
          .non_sequences = {a1, a2},
      });
  const std::vector<std::string> expected{
      "S1[t-3]",
      "S1[t+2]",
      "S1[t-1]",
      "S2[t]",
      "S3[t+3]",
      "O1[t-3]",
      "O1[t-5]",
      "O3[t-1]",
      "A1",
      "A2"};
  EXPECT_EQ(names, expected);
}

TEST(Scan, TapsOfSequencesReadTheirNeighbours) {
  const Variable x = dvector("x");
  const ScanResult sums = scan(
      [](Variable before, Variable here, Variable after) {
        return before + 10 * here + 100 * after;
      },
      {.sequences = {taps(x, {-1, 0, 2})}});
  const Array got = function({x}, sums[0])(Array({1, 2, 3, 4, 5}));
  EXPECT_TRUE(same_elements(asarray(got), Array({421, 532}))) << to_text(got);
}

TEST(Scan, BackwardsReadsSequencesFromTheirEnd) {
  const Variable x = dvector("x");
  const ScanResult sums = scan(
      [](Variable here, Variable before) { return here + 10 * before; },
      {.sequences = {x}, .outputs_info = {0.0}, .go_backwards = true});
  const Array got = function({x}, sums[0])(Array({1, 2, 3}));
  EXPECT_TRUE(same_elements(asarray(got), Array({3, 32, 321}))) << to_text(got);
}

TEST(Scan, StopsWithTheShortestSequence) {
  const Variable x = dvector("x"), y = dvector("y");
  const ScanResult sums = scan([](Variable a, Variable b) { return a + b; }, {.sequences = {x, y}});
  const Array got = function({x, y}, sums[0])(Array({1, 2, 3}), Array({10, 20}));
  EXPECT_TRUE(same_elements(asarray(got), Array({11, 22})));
}

TEST(Scan, NoStepsGiveNoRows) {
  const Variable x = dvector("x"), n = iscalar("n");
  const ScanResult sums = scan(
      [](Variable before, Variable add) {
        return Vars{before + add, add};
      },
      {.outputs_info = {Tapped(x), none}, .non_sequences = {x}, .n_steps = n});
  const Results got = function({x, n}, sums.outputs)(Array({1, 2}), 0);
  EXPECT_EQ(got[0].dims(), Dims({0, 2}));
  EXPECT_EQ(got[1].dims(), Dims({0, 2}));
}

TEST(Scan, OneStepIsNoLoop) {
  const Variable x = dvector("x");
  const ScanResult sums = scan(
      [](Variable row, Variable before) { return row + before; },
      {.sequences = {x}, .outputs_info = {0.5}, .n_steps = 1});
  const Function f = function({x}, sums[0]);
  for (const Apply* node : f.toposort())
    EXPECT_NE(node->op().name, "Scan");
  EXPECT_TRUE(same_elements(asarray(Array(f(Array({4, 5})))), Array({4.5})));
}

TEST(Scan, FoldsFromBothEnds) {
  const Variable x = dvector("x");
  const auto digits = [](Variable here, Variable before) { return here + 10 * before; };
  const Variable left = foldl(digits, {x}, {0.0}), right = foldr(digits, {x}, {0.0});
  const Results r = function({x}, {left, right})(Array({1, 2, 3}));
  EXPECT_EQ(r[0].item(), 123);
  EXPECT_EQ(r[1].item(), 321);
}

TEST(Scan, WhatDoesNotChangeIsComputedOutside) {
  const Variable x = dvector("x"), a = scalar("a", DType::float64);
  const ScanResult sums =
      scan([&](Variable row) { return row * exp(a) + sqr(exp(a)); }, {.sequences = {x}});
  const Apply* loop = sums[0].owner();
  ASSERT_EQ(loop->op().name, "Scan");
  EXPECT_EQ(loop->inputs().size(), 4U);  // n_steps, x, exp(a) and its square
  const Array got = function({x, a}, sums[0])(Array({1, 2}), 0.0);
  EXPECT_TRUE(same_elements(asarray(got), Array({2, 3})));
}

// d/dx0 and d/dw of a loop with two taps, a sequence and a captured weight, against differences.
TEST(Scan, GradientAgreesWithDifferences) {
  const std::vector<Array> points{
      Array({{.1, -.2}, {.3, .4}}),
      Array({{.5, -.3}, {.2, .7}}),
      Array({{1, 2}, {-1, .5}, {.25, -2}})};
  verify_grad(
      [](const Vars& v) -> Variable {
        const ScanResult states = scan(
            [&](Variable x, Variable before2, Variable before1) {
              const Variable next = tanh(dot(before1, v[1]) + before2 * x);
              return Vars{next, next * x};
            },
            {.sequences = {v[2]}, .outputs_info = {taps(v[0], {-2, -1}), none}});
        return sum(sqr(states[0])) + sum(states[1] * states[1][0]);
      },
      points);
}

TEST(Scan, TruncatedGradientGoesBackSoFar) {
  const Variable x = dvector("x"), w = scalar("w", DType::float64);
  const auto slope = [&](int truncate) {
    const ScanResult sums = scan(
        [&](Variable row, Variable before) { return before * w + row; },
        {.sequences = {x}, .outputs_info = {0.0}, .truncate_gradient = truncate});
    return Array(function({x, w}, grad(sums[0][-1], x))(Array({1, 1, 1, 1}), 2.0));
  };
  EXPECT_TRUE(same_elements(asarray(slope(-1)), Array({8, 4, 2, 1})));
  EXPECT_TRUE(same_elements(asarray(slope(2)), Array({0, 0, 2, 1})));
}

TEST(Scan, GradientStopsWhereTheLoopStopped) {
  const Variable x = scalar("x", DType::float64), most = scalar("most", DType::float64);
  const ScanResult powers = scan(
      [&](Variable before) {
        const Variable next = before * x;
        return ScanStep{.outputs = {next}, .until = next > most};
      },
      {.outputs_info = {1.0}, .n_steps = 100});
  const Function f = function({x, most}, {powers[0][-1], grad(powers[0][-1], x)});
  const Results r = f(2.0, 45.0);
  EXPECT_EQ(r[0].item(), 64);
  EXPECT_NEAR(r[1].item(), 6 * 32, 1e-9);
}

TEST(Scan, RopAgreesWithTheTransposedGradient) {
  const Variable x = dvector("x"), w = dvector("w"), v = dvector("v");
  const ScanResult states =
      scan([&](Variable before) { return tanh(before * w); }, {.outputs_info = {x}, .n_steps = 4});
  const Variable y = states[0][-1];
  const Variable forward = Rop(y, w, v), back = grad(sum(y * 1.0), w) * v;
  const Results r =
      function({x, w, v}, {forward, back})(Array({.5, -1}), Array({1.5, .3}), Array({2, 7}));
  EXPECT_TRUE(all_close(asarray(r[0]), asarray(r[1]), 1e-12)) << to_text(r[0]) << to_text(r[1]);
}

TEST(Scan, TellsWhatIsWrong) {
  const Variable x = dvector("x"), a = scalar("a", DType::float64);
  const auto same = [](Variable v) { return v; };
  EXPECT_EQ(
      error_of([&] { scan(same, {.outputs_info = {taps(x, {1})}, .n_steps = 3}); }),
      "Can not use future taps of outputs: output 0 has tap 1");
  EXPECT_EQ(
      error_of([&] {
        scan(same, {.outputs_info = {taps(x, {-1, -1})}, .n_steps = 3});
      }),
      "output 0 lists tap -1 twice");
  EXPECT_EQ(
      error_of([&] { scan(same, {.outputs_info = {x}}); }),
      "scan has no sequences, and n_steps was not given: nothing says when to stop");
  EXPECT_EQ(
      error_of([&] {
        scan(
            [&](Variable v) { return ScanStep{.outputs = {v}, .until = sum(v) > 3}; },
            {.outputs_info = {x}});
      }),
      "scan has no sequences, and n_steps was not given: nothing says when to stop");
  EXPECT_EQ(
      error_of([&] { scan(same, {.outputs_info = {x}, .n_steps = -1}); }),
      "scan can't run -1 steps");
  EXPECT_EQ(
      error_of([&] { scan(same, {.sequences = {a}}); }),
      "sequence 0 of scan has no axis to step along");
  EXPECT_EQ(
      error_of([&] {
        scan(
            [](Variable i, Variable n) { return i + n; },
            {.sequences = {arange(iscalar("n"))}, .outputs_info = {0}});
      }),
      "output 0 of scan changes its dtype between steps");
  EXPECT_EQ(
      error_of(
          [&] { scan([&](Variable v) { return v * x; }, {.outputs_info = {a}, .n_steps = 3}); }),
      "output 0 of scan changes its number of axes between steps");
  EXPECT_EQ(
      error_of([&] {
        scan([](Variable v) { return Vars{v, v}; }, {.outputs_info = {x}, .n_steps = 3});
      }),
      "the step of scan returned 2 outputs, and outputs_info has 1");
  EXPECT_EQ(
      error_of([&] {
        scan(same, {.sequences = {x, x}});
      }),
      "the step of scan does not take 2 arguments");
  EXPECT_EQ(
      error_of(
          [&] { scan([&](Variable v) { return v * a; }, {.sequences = {x}, .strict = true}); }),
      "a strict scan uses 'a', which is not among its non_sequences");
  EXPECT_EQ(
      error_of([&] {
        scan(
            [&](Variable v, Variable) { return v * a; },
            {.sequences = {x}, .non_sequences = {a}, .strict = true});
      }),
      "");
}

TEST(Scan, TellsWhatIsWrongInACall) {
  const Variable x = dvector("x"), n = iscalar("n");
  const ScanResult rows = scan([](Variable v) { return v * 2; }, {.sequences = {x}, .n_steps = n});
  const Function f = function({x, n}, rows[0]);
  EXPECT_EQ(error_of([&] { f(Array({1, 2}), 3); }), "sequence 0 of scan has 2 rows for 3 steps");
  EXPECT_EQ(error_of([&] { f(Array({1, 2}), -3); }), "scan can't run -3 steps");
  EXPECT_EQ(Array(f(Array({1, 2}), 1)).dim(0), 1);

  const Variable start = matrix("start", DType::float64);
  const ScanResult two = scan(
      [](Variable a, Variable b) { return a + b; },
      {.outputs_info = {taps(start, {-2, -1})}, .n_steps = 3});
  const Function g = function({start}, two[0]);
  EXPECT_EQ(
      error_of([&] {
        g(Array({{1, 1}, {2, 2}, {3, 3}}));
      }),
      "the start of output 0 has 3 rows, and its taps look 2 steps back");

  const Variable y = dvector("y");
  const ScanResult grown = scan(
      [&](Variable v) {
        return concatenate({v, v});
      },
      {.outputs_info = {y}, .n_steps = 3});
  EXPECT_EQ(
      error_of([&] {
        function({y}, grown[0])(Array({1, 2}));
      }),
      "output 0 of a step of scan has the shape (4,), and it started as (2,)");

  const ScanResult ragged = scan([&](Variable v) { return y[y > v]; }, {.sequences = {y}});
  EXPECT_EQ(
      error_of([&] {
        function({y}, ragged[0])(Array({1, 2}));
      }),
      "output 0 of a step of scan has a size that its data decides: float64[?]");
}

}  // namespace
}  // namespace hypatia
