// Pullbacks of all ops that are neither elementwise nor reductions (those have their loops in
// registry_test.cpp), against central differences: one example each, or the reason why not.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "engine/graph/graph.h"
#include "engine/ops/product.h"
#include "engine/ops/registry.h"

#include "hypatia/hypatia.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

/// A use of an op, and sizes of the points at which it is tried.
struct Example {
  Variable (*build)(const Vars& in);
  std::vector<Dims> points;
};

/// The gradient of the sum of squares: an expression that holds the op's own pullback.
Variable slope(const Variable& y, const Variable& x) {
  return grad(sqr(y).sum(), x);
}

Variable rows() {
  return constant(Array::of<std::int64_t>({2, 0, 2}));
}

/// A symmetric positive definite matrix of any square one.
Variable definite(const Variable& a) {
  return dot(a, transpose(a)) + identity_matrix(shape_i(a, 0), a.dtype());
}

const std::map<std::string_view, Example>& shape_examples() {
  static const std::map<std::string_view, Example> all{
      {"DimShuffle",
       {[](const Vars& in) {
          return sqr(dimshuffle(in[0], {1, -1, 0}));
        },
        {{2, 3}}}},
      {"Reshape",
       {[](const Vars& in) {
          return sqr(reshape(in[0], {3, -1}));
        },
        {{2, 3}}}},
      {"BroadcastTo",
       {[](const Vars& in) {
          return sqr(broadcast_to(in[0], {4, 3}));
        },
        {{3}}}},
      {"Rebroadcast", {[](const Vars& in) { return sqr(unbroadcast(in[0], {0})); }, {{1, 3}}}},
      {"ExtractDiag", {[](const Vars& in) { return sqr(diag(in[0], 1)); }, {{3, 4}}}},
      {"AllocDiag", {[](const Vars& in) { return sqr(diag(in[0])); }, {{3}}}},
      {"Join",
       {[](const Vars& in) {
          return sqr(join(1, {in[0], in[1]}));
        },
        {{2, 3}, {2, 2}}}},
      {"Subtensor", {[](const Vars& in) { return sqr(in[0](slice(2, none, -2), 1)); }, {{3, 4}}}},
      {"SetSubtensor",
       {[](const Vars& in) { return sqr(inc_subtensor(in[0][slice(1, 3)], in[1])); },
        {{4, 2}, {2, 2}}}},
      {"AdvancedSubtensor",
       {[](const Vars& in) { return sqr(in[0](slice(0, 2), rows())); }, {{3, 3}}}},
      {"AdvancedIncSubtensor",
       {[](const Vars& in) { return sqr(set_subtensor(in[0][rows()], in[1])); }, {{3}, {3}}}},
      {"IfElse",
       {[](const Vars& in) { return ifelse(in[0].sum() > 0, sqr(in[0]), in[1]); }, {{3}, {3}}}},
      {"Print", {[](const Vars& in) { return sqr(Print("", {})(in[0])); }, {{3}}}},
      {"Sort", {[](const Vars& in) { return sort(in[0], 0) * in[0]; }, {{4, 2}}}},
      {"CumSum", {[](const Vars& in) { return sqr(cumsum(in[0], 1)); }, {{2, 3}}}},
      {"CumProd", {[](const Vars& in) { return cumprod(in[0], 0); }, {{3, 2}}}},
  };
  return all;
}

const std::map<std::string_view, Example>& algebra_examples() {
  static const std::map<std::string_view, Example> all{
      {"dot", {[](const Vars& in) { return dot(in[0], in[1]); }, {{2, 3}, {3, 2}}}},
      {"gemm",
       {[](const Vars& in) { return gemm(in[0], in[1], in[2], 0.5, 2); },
        {{2, 2}, {2, 3}, {3, 2}}}},
      {"MatrixInverse", {[](const Vars& in) { return matrix_inverse(definite(in[0])); }, {{3, 3}}}},
      {"Det", {[](const Vars& in) { return det(in[0]); }, {{3, 3}}}},
      {"LogAbsDet", {[](const Vars& in) { return logabsdet(in[0]); }, {{3, 3}}}},
      {"Cholesky", {[](const Vars& in) { return cholesky(definite(in[0])); }, {{3, 3}}}},
      {"Solve", {[](const Vars& in) { return solve(definite(in[0]), in[1]); }, {{3, 3}, {3}}}},
      {"Eigh", {[](const Vars& in) { return sqr(eigh(definite(in[0]))[0]); }, {{3, 3}}}},
      {"MatrixPinv", {[](const Vars& in) { return pinv(in[0]); }, {{4, 2}}}},
  };
  return all;
}

Variable averaged(const Variable& x) {
  return pool_2d(x, {.rows = 2, .columns = 2, .mode = "average"});
}

const std::map<std::string_view, Example>& image_examples() {
  static const std::vector<Dims> images{{1, 2, 4, 4}}, both{{1, 2, 4, 4}, {2, 2, 2, 2}};
  static const std::map<std::string_view, Example> all{
      {"conv2d", {[](const Vars& in) { return conv2d(in[0], in[1]); }, both}},
      {"conv2d_images", {[](const Vars& in) { return slope(conv2d(in[0], in[1]), in[0]); }, both}},
      {"conv2d_filters", {[](const Vars& in) { return slope(conv2d(in[0], in[1]), in[1]); }, both}},
      {"pool_max", {[](const Vars& in) { return sqr(pool_2d(in[0])); }, images}},
      {"pool_spread", {[](const Vars& in) { return slope(pool_2d(in[0]), in[0]); }, images}},
      {"pool_pick",
       {[](const Vars& in) { return grad(slope(pool_2d(in[0]), in[0]).sum(), in[0]) * in[0]; },
        images}},
      {"pool_mean", {[](const Vars& in) { return sqr(averaged(in[0])); }, images}},
      {"pool_mean_spread", {[](const Vars& in) { return slope(averaged(in[0]), in[0]); }, images}},
  };
  return all;
}

/// Ops whose pullback moves no float, or that need another machine.
const std::map<std::string_view, std::string_view> no_floats{
    {"CheckIndex", "integers"},
    {"CheckClass", "integers"},
    {"Require", "integers"},
    {"Nonzero", "integers out"},
    {"MakeVector", "integers"},
    {"SameSize", "integers"},
    {"ArgSort", "integers out"},
    {"SearchSorted", "integers out"},
    {"transfer", "the identity, between two places; devices' tests move gradients"},
};

const Example* example_of(std::string_view name) {
  for (const auto* examples : {&shape_examples(), &algebra_examples(), &image_examples()}) {
    const auto found = examples->find(name);
    if (found != examples->end()) return &found->second;
  }
  return nullptr;
}

class EveryPullback : public testing::TestWithParam<const Op*> {};

TEST_P(EveryPullback, IsTheDerivativeOfItsDifferences) {
  const Op& op = *GetParam();
  if (no_floats.contains(op.name)) return;
  const Example* example = example_of(op.name);
  ASSERT_TRUE(example) << "give an example of " << op.name << " in this file, or a reason";
  RandomState random(static_cast<std::int64_t>(op.name.size()));
  std::vector<Array> points;
  for (const Dims& dims : example->points)
    points.push_back(random.uniform(0.3, 1.7, dims));
  Variable built;
  expect_gradients_match([&](const Vars& in) { return built = example->build(in); }, points);
  const auto nodes = topological_order(Vars{built});
  EXPECT_TRUE(std::any_of(
      nodes.begin(), nodes.end(), [&](const Apply* node) { return &node->op() == &op; }))
      << "the example does not use " << op.name;
}

std::vector<const Op*> structured_ops() {
  std::vector<const Op*> ops;
  for (const Op* op : all_ops()) {
    if (op->pullback && !op->is_scalar() && !op->is_reduction()) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryPullback, testing::ValuesIn(structured_ops()), [](const auto& tested) {
      return std::string(tested.param->name);
    });

}  // namespace
}  // namespace hypatia
