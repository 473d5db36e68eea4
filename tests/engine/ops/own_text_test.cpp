// Every op with CUDA C of its own: on the simulated GPU it gives what its reference evaluation
// gives, wherever its inputs lie.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>

#include "engine/run/text_trial.h"

#include "tests/engine/ops/own_samples.h"
#include "tests/engine/run_tests.h"

namespace hypatia {
namespace {

TEST(OwnText, OfEveryOpHasSamples) {
  std::set<const Op*> sampled;
  for (const OwnSample& sample : own_samples(DType::float32))
    sampled.insert(sample.op);
  for (const Op* op : all_ops()) {
    const bool on_gpu =
        op->is_kernel() && std::get<KernelLowering>(op->lowering).has_text(Place{0});
    EXPECT_EQ(on_gpu, sampled.contains(op)) << op->name;
  }
}

Device& simulated() {
  static Opened& sim = *new Opened(open_device("sim", Place{0}));
  return *sim.device;
}

Types types_of(const OwnSample& sample) {
  Vars constants;
  for (const Array& a : sample.inputs)
    constants.push_back(constant(a));
  return apply(*sample.op, constants, sample.attrs).node().types();
}

std::vector<Array> by_reference(const OwnSample& sample) {
  const Types out = types_of(sample);
  return sample.op->eval(EvalCall{*sample.op, sample.attrs, sample.inputs, out});
}

TEST(OwnText, GivesWhatTheReferenceGives) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const OwnSample& sample : own_samples(dtype)) {
      SCOPED_TRACE(to_text(sample));
      const Trial trial = try_text(*sample.op, sample.attrs, sample.inputs, simulated());
      EXPECT_TRUE(trial.has_text);
      EXPECT_EQ(trial.error, "");
      EXPECT_EQ(trial.changed_input, -1);
      EXPECT_FALSE(trial.beyond);
      const std::vector<Array> wanted = by_reference(sample);
      ASSERT_EQ(trial.results.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(trial.results[i].dims(), wanted[i].dims());
        EXPECT_TRUE(all_close(trial.results[i], wanted[i]))
            << to_text(trial.results[i]) << "\nis not\n"
            << to_text(wanted[i]);
      }
    }
  }
}

/// Differences are taken for each element, so that only small samples are checked as a whole.
TEST(OwnText, IsOfAnOpThatKeepsItsPromises) {
  constexpr std::int64_t most_elements = 150;
  std::set<const Op*> checked;
  for (const OwnSample& sample : own_samples(DType::float64)) {
    std::int64_t count = 0;
    for (const Array& a : sample.inputs)
      count += a.elements();
    if (count > most_elements) continue;
    const std::vector<Broken> broken =
        check_op(*sample.op, {sample.inputs}, {.attrs = sample.attrs});
    EXPECT_TRUE(broken.empty()) << to_text(sample) << "\n" << to_text(broken);
    checked.insert(sample.op);
  }
  for (const OwnSample& sample : own_samples(DType::float32))
    EXPECT_TRUE(checked.contains(sample.op)) << to_text(sample);
}

/// The simulator's clock and profiles read what the op says of its work.
TEST(OwnText, StatesItsWork) {
  const ConvAttrs attrs{"half", 2, 1};
  const Array x = Array::ones(DType::float32, {2, 3, 8, 9}),
              f = Array::ones(DType::float32, {5, 3, 3, 3});
  const OwnSample convolution{&conv2d_op, attrs, {x, f}};
  const Types in{x.type(), f.type()}, out = types_of(convolution);
  const Cost cost = conv2d_op.cost(CostCall{conv2d_op, attrs, in, out});
  EXPECT_EQ(cost.flops, 2.0 * (2 * 5 * 4 * 9) * (3 * 3 * 3));
  EXPECT_EQ(cost.bytes, 4.0 * static_cast<double>(x.elements() + f.elements() + 2 * 5 * 4 * 9));
  for (const OwnSample& sample : own_samples(DType::float64)) {
    Types given;
    for (const Array& a : sample.inputs)
      given.push_back(a.type());
    const Types made = types_of(sample);
    const Cost work = sample.op->cost(CostCall{*sample.op, sample.attrs, given, made});
    double bytes = 0;
    for (const Types& types : {given, made}) {
      for (const Type& t : types)
        bytes += t.rank() == 0 ? 0 : static_cast<double>(elements(t.dims()) * size_of(t.dtype()));
    }
    EXPECT_EQ(work.bytes, bytes) << to_text(sample);
    EXPECT_TRUE(std::isfinite(work.flops) && work.flops >= 0) << to_text(sample);
  }
}

TEST(OwnText, WindowsWithNanHaveTheFirstOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x =
      Array({1.0, nan, 3.0, nan, 2.0, 2.0, 5.0, 5.0, -1.0, 0.0, nan, 9.0, 2.0, 2.0, 7.0, 4.0})
          .reshape({1, 1, 4, 4});
  const Array y = Array({1.0, 10.0, 100.0, 1000.0}).reshape({1, 1, 2, 2});
  const PoolAttrs attrs{2, 2, 2, 2};
  for (const OwnSample& sample :
       {OwnSample{&pool_max_op, attrs, {x}}, OwnSample{&pool_spread_op, attrs, {x, y}}}) {
    const Trial trial = try_text(*sample.op, sample.attrs, sample.inputs, simulated());
    ASSERT_EQ(trial.error, "");
    EXPECT_TRUE(same_elements(trial.results[0], by_reference(sample)[0]))
        << to_text(trial.results[0]);
  }
}

TEST(OwnText, NanIsSortedLast) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x({3.0, nan, -1.0, 3.0, nan, 2.0, -1.0}), line({1.0, 2.0, 2.0, nan, nan});
  const std::vector<OwnSample> samples{
      {&sort_op, AxisAttrs{0}, {x}},
      {&argsort_op, AxisAttrs{0}, {x}},
      {&searchsorted_op, SideAttrs{false}, {line, x}},
      {&searchsorted_op, SideAttrs{true}, {line, x}},
  };
  for (const OwnSample& sample : samples) {
    const Trial trial = try_text(*sample.op, sample.attrs, sample.inputs, simulated());
    ASSERT_EQ(trial.error, "");
    EXPECT_TRUE(same_elements(trial.results[0], by_reference(sample)[0]))
        << to_text(sample) << to_text(trial.results[0]);
  }
}

/// x as a view: an axis backwards, every second element of another that is twice as long.
Variable laid_otherwise(const Variable& x) {
  const int last = x.ndim() - 1;
  const Variable wide = join(last, {x, zeros_like(x)});
  if (last == 0) return wide(slice(none, none, -2));
  std::vector<Index> indices(static_cast<std::size_t>(last), Index(every));
  indices.back() = Index(slice(none, none, -1));
  indices.emplace_back(slice(none, none, 2));
  return indexed(wide, indices);
}

TEST(OwnViews, AreReadWhereTheyLie) {
  std::map<const Op*, int> times;
  std::vector<OwnSample> samples;
  std::vector<In> arguments;
  std::vector<Array> values;
  Vars outputs;  // of each sample its views, then the result
  for (const OwnSample& sample : own_samples(DType::float64)) {
    if (++times[sample.op] > 2) continue;
    Vars operands;
    for (const Array& a : sample.inputs) {
      if (a.rank() == 0) {
        operands.push_back(constant(a));
        continue;
      }
      const Variable x = input(Type(a.dtype(), Dims::filled(a.rank(), unknown_dim)));
      arguments.emplace_back(x);
      values.push_back(a);
      operands.push_back(laid_otherwise(x));
      outputs.push_back(operands.back());
    }
    outputs.push_back(apply(*sample.op, operands, sample.attrs));
    samples.push_back(sample);
  }
  const Results all = function(arguments, Outputs(outputs)).call(values);
  std::size_t next = 0;
  for (OwnSample& sample : samples) {
    for (Array& a : sample.inputs)
      a = a.rank() == 0 ? a : asarray(all[next++]).copy();
    EXPECT_TRUE(all_close(asarray(all[next++]), by_reference(sample)[0])) << to_text(sample);
  }
}

TEST(OwnViews, AreReadWhereTheyLieOnTheSimulatedGpu) {
  EXPECT_EQ(run_tests("--gtest_filter=OwnViews.AreReadWhereTheyLie", "device=sim"), 0);
}

TEST(OwnText, HasTheRightGradientsOnTheSimulatedGpu) {
  EXPECT_EQ(
      run_tests(
          "--gtest_filter=Conv2d.*:Pool2d.*:Sort.*:Running.*:SearchSorted.*:All/EveryPullback.*/"
          "[cp]o*:All/EveryPullback.*/"
          "*um*:All/EveryPullback.*/*ort*",
          "device=sim"),
      0);
}

}  // namespace
}  // namespace hypatia
