// Loops of the same steps that run as one: which, and that each gives what it gives alone.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {
namespace {

/// Kernels that are loops over time: each declares what its first chain made a step ago.
int loops_in(const Function& f) {
  int count = 0;
  for (std::size_t at = 0; (at = f.source().find("double past0_1", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

/// All outputs in one function against each in its own; the loops that the one has.
int expect_as_alone(const Vars& inputs, const Vars& outputs, const std::vector<Array>& values) {
  const std::vector<In> in(inputs.begin(), inputs.end());
  const FunctionOptions options{.on_unused_input = "ignore"};
  const Function together = function(in, Outputs(outputs), options);
  for (int call = 0; call < 2; ++call) {
    const Results got = together.call(std::span<const Array>(values));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Function alone = function(in, outputs[i], options);
      const Array expected = asarray(alone.call(std::span<const Array>(values)).only());
      EXPECT_TRUE(all_close(asarray(got[i]), expected)) << i << "\n" << together.source();
    }
  }
  return loops_in(together);
}

Variable recurrence(const Variable& start, double a, const Variable& rows) {
  return scan(
      [&](Variable row, Variable v) { return tanh(a * v) + row; },
      {.sequences = {rows}, .outputs_info = {start}});
}

TEST(JoinedLoops, OfTheSameStepsAndElements) {
  const Variable x = dvector("x"), y = dvector("y"), rows = dmatrix("rows");
  const Variable a = recurrence(x, 1.5, rows), b = recurrence(y, 0.5, rows);
  const Variable two = scan(
      [](Variable row, Variable v2, Variable v1) { return 0.5 * v1 - 0.3 * v2 + row; },
      {.sequences = {rows}, .outputs_info = {taps(stack({x, y}), {-2, -1})}});
  RandomState rng(2);
  for (const std::int64_t size : {1, 5, 300}) {
    const std::vector<Array> values{
        rng.uniform(-1, 1, {size}), rng.uniform(-1, 1, {size}), rng.uniform(-1, 1, {7, size})};
    const std::vector<Vars> wanted{{a, b}, {a[-1], b}, {a, two, b[-1]}, {two[slice(-3, none)], b}};
    for (const Vars& outputs : wanted)
      EXPECT_EQ(expect_as_alone({x, y, rows}, outputs, values), 1) << to_text(values[0].dims());
  }
}

TEST(JoinedLoops, NotThoseThatNeedEachOtherOrDiffer) {
  const Variable x = dvector("x"), y = dvector("y"), rows = dmatrix("rows");
  const Variable a = recurrence(x, 1.5, rows);
  const std::vector<Array> values{
      Array({.1, .2}), Array({.3, .4}), Array({{1, 2}, {3, 4}, {5, 6}})};
  // One begins with what the other ends with.
  EXPECT_EQ(expect_as_alone({x, y, rows}, {a, recurrence(a[-1], 0.5, rows)}, values), 2);
  // One has fewer steps.
  EXPECT_EQ(
      expect_as_alone({x, y, rows}, {a, recurrence(y, 0.5, rows[slice(1, none)])}, values), 2);
  // One stops by itself.
  const Variable stops = scan(
      [](Variable v, Variable n) {
        return ScanStep{.outputs = {v * 2, n + 1}, .until = n > 1.5};
      },
      {.outputs_info = {x, 0.0}, .n_steps = 3})[0];
  EXPECT_EQ(expect_as_alone({x, y, rows}, {a, stops}, values), 2);
}

TEST(JoinedLoops, PassBySteppedLoops) {
  const Variable x = dvector("x"), w = dmatrix("w"), rows = dmatrix("rows");
  const Variable a = recurrence(x, 1.5, rows), b = recurrence(2 * x, 0.5, rows);
  const Variable stepped = scan(
      [&](Variable row, Variable v) { return tanh(dot(v, w) + row); },
      {.sequences = {rows}, .outputs_info = {x}});
  const std::vector<Array> values{
      Array({.1, .2}), Array({{1., .5}, {-.5, .2}}), Array({{1, 2}, {3, 4}, {5, 6}})};
  EXPECT_EQ(expect_as_alone({x, w, rows}, {a, stepped, b}, values), 1);
}

}  // namespace
}  // namespace hypatia
