// What loops compute outside for all steps at once: the same values as step by step, and products
// where they belong.
#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/product.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

bool is_product(const Apply& node) {
  return &node.op() == &dot_op || &node.op() == &gemm_op;
}

/// The products in the bodies of a function's loops, and those beside them.
struct Products {
  int loops = 0, inside = 0, outside = 0;
};

Products products_of(const Function& f) {
  Products count;
  for (const Apply* node : f.toposort()) {
    count.outside += is_product(*node) ? 1 : 0;
    if (&node->op() != &scan_op) continue;
    ++count.loops;
    for (const Apply* inner : node->attrs().as<ScanAttrs>().body->graph.order())
      count.inside += is_product(*inner) ? 1 : 0;
  }
  return count;
}

Array draws(const Dims& dims) {
  static RandomState rng(7);
  return rng.uniform(-1, 1, dims);
}

/// The compiled function, with its results compared to those without rewrites.
Function same_without_rewrites(
    const Vars& inputs, const Vars& outputs, const std::vector<Array>& values) {
  const std::vector<In> in(inputs.begin(), inputs.end());
  const Function f = function(in, Outputs(outputs));
  const Results plain =
      function(in, Outputs(outputs), {.optimizer = "None"}).call(std::span<const Array>(values));
  for (int call = 0; call < 2; ++call) {
    const Results got = f.call(std::span<const Array>(values));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Array a = asarray(got[i]), b = asarray(plain[i]);
      EXPECT_TRUE(all_close(a, b)) << i << "\n" << to_text(a) << "\n" << to_text(b);
    }
  }
  return f;
}

struct Recurrent {
  Variable x, w, u, b, h0, states;
  std::vector<Array> values;

  Vars inputs() const { return {x, w, u, b, h0}; }
};

/// h = tanh(x w + h u + b), of a batch of rows or, without one, of vectors.
Recurrent recurrent(bool batch, int truncate = -1) {
  Recurrent net;
  const auto f64 = DType::float64;
  net.x = batch ? tensor3("x", f64) : matrix("x", f64);
  net.h0 = batch ? matrix("h0", f64) : vector("h0", f64);
  net.w = matrix("w", f64);
  net.u = matrix("u", f64);
  net.b = vector("b", f64);
  net.states = scan(
      [&](Variable row, Variable h) { return tanh(dot(row, net.w) + dot(h, net.u) + net.b); },
      {.sequences = {net.x}, .outputs_info = {net.h0}, .truncate_gradient = truncate});
  net.values = batch ? std::vector<Array>{draws({6, 3, 4})} : std::vector<Array>{draws({6, 4})};
  net.values.push_back(draws({4, 5}));
  net.values.push_back(draws({5, 5}));
  net.values.push_back(draws({5}));
  net.values.push_back(batch ? draws({3, 5}) : draws({5}));
  return net;
}

TEST(ScanPush, ProductsOfRowsAreOneProductBefore) {
  for (const bool batch : {false, true}) {
    const Recurrent net = recurrent(batch);
    const Function f = same_without_rewrites(net.inputs(), {net.states}, net.values);
    const Products found = products_of(f);
    EXPECT_EQ(found.loops, 1);
    EXPECT_EQ(found.inside, 1);
    EXPECT_EQ(found.outside, 1);
    EXPECT_NE(f.story().find("scan_push"), std::string::npos);
  }
}

TEST(ScanPush, SumsOfProductsAreOneProductAfter) {
  for (const bool batch : {false, true}) {
    for (const bool last : {false, true}) {
      const Recurrent net = recurrent(batch);
      const Variable cost = last ? sqr(net.states[-1]).sum() : sqr(net.states).sum();
      const Vars slopes = grad(cost, net.inputs());
      const Function f = same_without_rewrites(net.inputs(), slopes, net.values);
      const Products found = products_of(f);
      EXPECT_EQ(found.loops, 2);
      // One product with u a step, forwards and backwards.
      EXPECT_EQ(found.inside, 2) << batch << last;
    }
  }
}

TEST(ScanPush, GradientsAgreeWithDifferences) {
  const Recurrent net = recurrent(true);
  const auto cost = [&](const Vars& at) {
    const std::vector<std::pair<Variable, Variable>> pairs{
        {net.x, at[0]}, {net.w, at[1]}, {net.u, at[2]}, {net.b, at[3]}, {net.h0, at[4]}};
    return substitute(Vars{sqr(net.states).sum()}, pairs)[0];
  };
  verify_grad(cost, net.values);
}

TEST(ScanPush, TruncatedGradientsStay) {
  for (const int truncate : {0, 1, 3, 9}) {
    const Recurrent net = recurrent(true, truncate);
    same_without_rewrites(
        net.inputs(), grad(sqr(net.states[-1]).sum(), {net.w, net.u, net.b}), net.values);
    same_without_rewrites(
        net.inputs(), grad(sqr(net.states).sum(), {net.w, net.u, net.b}), net.values);
  }
}

/// How many rows the function's loops keep of all outputs that have some.
std::vector<std::int64_t> kept(const Function& f) {
  std::vector<std::int64_t> all;
  for (const Apply* node : f.toposort()) {
    if (&node->op() != &scan_op) continue;
    for (const std::int64_t rows : node->attrs().as<ScanAttrs>().kept)
      all.push_back(rows);
  }
  return all;
}

TEST(ScanPush, TruncatedGradientsKeepTheirStepsOnly) {
  const Variable x = vector("x", DType::float64), n = iscalar("n");
  const Variable y = scan(
      [](Variable v) { return sin(v) * 1.5; },
      {.outputs_info = {x}, .n_steps = n, .truncate_gradient = 4});
  const Variable slope = grad(y[-1].sum(), x);
  const Function f = same_without_rewrites({x, n}, {slope}, {Array({.1, .7}), Array(30)});
  for (const std::int64_t rows : kept(f)) {
    EXPECT_GE(rows, 0) << "all rows are kept";
    EXPECT_LE(rows, 5);
  }
  same_without_rewrites({x, n}, {slope}, {Array({.1, .7}), Array(2)});
}

TEST(ScanPush, MapsNeedNoLoop) {
  const Variable x = matrix("x", DType::float64), w = matrix("w", DType::float64);
  const Variable norms = scan_map([](Variable row) { return sqrt(sqr(row).sum()); }, {x});
  EXPECT_EQ(products_of(same_without_rewrites({x}, {norms}, {draws({4, 3})})).loops, 0);
  const Variable rows = scan_map([&](Variable row) { return tanh(dot(row, w)); }, {x});
  const Products found =
      products_of(same_without_rewrites({x, w}, {rows}, {draws({4, 3}), draws({3, 2})}));
  EXPECT_EQ(found.loops, 0);
  EXPECT_EQ(found.outside, 1);
  EXPECT_EQ(asarray(Array(function({x}, norms)(Array::zeros(DType::float64, {0, 3})))).dim(0), 0);
}

TEST(ScanPush, MapsOfSoManyStepsStillCountTheirRows) {
  const Variable x = vector("x", DType::float64), n = iscalar("n");
  const ScanResult r = scan([](Variable v) { return exp(v); }, {.sequences = {x}, .n_steps = n});
  const Function f = function({x, n}, r[0]);
  EXPECT_THROW(f(Array({1, 2}), 3), Error);
}

TEST(ScanPush, CostlyNumbersOfEachStepComeFromVectors) {
  const Variable c = vector("c", DType::float64), x = scalar("x", DType::float64);
  const Variable sums = scan(
      [](Variable factor, Variable power, Variable before, Variable free) {
        return before + factor * pow(free, power);
      },
      {.sequences = {c, arange(100)}, .outputs_info = {0.0}, .non_sequences = {x}});
  const std::vector<Array> values{draws({100}), Array(0.9)};
  const Function f = same_without_rewrites({c, x}, {sums[-1], grad(sums[-1], x)}, values);
  int loops = 0, inside = 0;
  for (const Apply* node : f.toposort()) {
    if (&node->op() != &scan_op) continue;
    ++loops;
    for (const Apply* inner : node->attrs().as<ScanAttrs>().body->graph.order())
      inside += &inner->op() == &pow_op ? 1 : 0;
  }
  EXPECT_GE(loops, 1);
  EXPECT_EQ(inside, 0);
}

TEST(ScanPush, WhatNobodyReadsIsNotComputed) {
  const Variable x = vector("x", DType::float64), w = matrix("w", DType::float64);
  const ScanResult r = scan(
      [&](Variable v) {
        return Vars{tanh(v), dot(v, w)};
      },
      {.outputs_info = {x, none}, .n_steps = 5});
  const Function f = function({x, w}, r[0][-1]);
  EXPECT_EQ(products_of(f).inside, 0);
  EXPECT_EQ(asarray(Array(f(Array({0, 0}), Array::ones(DType::float64, {2, 1})))).at({1}), 0);
}

TEST(ScanPush, LoopsThatStopByThemselvesStayWhole) {
  const Variable x = matrix("x", DType::float64), w = matrix("w", DType::float64);
  const ScanResult r = scan(
      [&](Variable row, Variable sum) {
        const Variable next = sum + dot(row, w).sum();
        return ScanStep{.outputs = {next}, .until = next > 3};
      },
      {.sequences = {x}, .outputs_info = {0.0}});
  const Array ones = Array::ones(DType::float64, {9, 2});
  const Function f =
      same_without_rewrites({x, w}, {r[0]}, {ones, Array::ones(DType::float64, {2, 1})});
  EXPECT_EQ(products_of(f).inside, 1);
}

}  // namespace
}  // namespace hypatia
