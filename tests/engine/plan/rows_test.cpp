// Matrix-vector products that run together with what follows them row by row: what is joined, what
// must not be, and that the answers stay those of the interpreter, which runs step by step.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/graph/concrete.h"
#include "engine/plan/plan.h"
#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

constexpr std::int64_t rows = 70;

/// Rows of this many elements; the longer ones go eight at a time, by several threads.
struct Matrix {
  DType dtype;
  std::int64_t columns;
};

constexpr std::int64_t few = 45, many = 1500;

struct Case {
  std::string name;
  Vars inputs = {}, outputs = {};
  std::vector<Update> updates = {};
  bool joined = true, with_back = false;
};

Array numbers(const Dims& dims, DType dtype, unsigned seed) {
  return RandomState(seed).rand(dims).astype(dtype);
}

std::vector<Case> cases(const Matrix& of) {
  const DType dtype = of.dtype;
  const Variable x = matrix("x", dtype), v = vector("v", dtype), y = vector("y", dtype);
  const Shared w = shared(numbers({of.columns}, dtype, 5), "w");
  const Variable z = dot(x, v), error = tanh(z) - y;
  const Variable slow = w - cast(dot(x.T(), tanh(dot(x, w)) - y) * 0.01, dtype);
  return {
      {"elementwise", {x, v}, {sigmoid(z) * 2}},
      {"the product is a result too", {x, v}, {z, exp(z)}},
      {"a sum of the rows", {x, v, y}, {sqr(error), sum(error)}},
      {"there and back", {x, v, y}, {dot(x.T(), error)}, {}, true, true},
      {"back with all results", {x, v, y}, {dot(x.T(), error), error, sum(error)}, {}, true, true},
      {"an update in place", {x, y}, {}, {{w, slow}}, true, true},
      {"a second loop waits for the sum", {x, v}, {z - sum(z)}},
      {"nothing follows", {x, v}, {z}, {}, false},
      {"by columns", {x, y}, {tanh(dot(x.T(), y))}, {}, false},
  };
}

const RowsWork* joined_step(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (const auto* work = std::get_if<RowsWork>(&step.work)) return work;
  }
  return nullptr;
}

Plan plan_of(const Case& c, std::int64_t columns, bool merge_kernels = true) {
  Graph graph(c.inputs, c.outputs, c.updates);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{});
  std::unordered_map<Variable, Type, VariableHash> types;
  for (const Variable& v : graph.inputs()) {
    const bool long_one = v.name() == "y";
    types.emplace(
        v,
        v.type().with_dims(v.ndim() == 2 ? Dims{rows, columns} : Dims{long_one ? rows : columns}));
  }
  for (const Variable& v : graph.shared())
    types.emplace(v, v.type().with_dims({columns}));
  PlanOptions options;
  options.merge_kernels = merge_kernels;
  return make_plan(graph, Concrete(graph, types), options);
}

class Rows : public testing::TestWithParam<Matrix> {};

TEST_P(Rows, AreJoinedWhereTheyCanBe) {
  for (const Case& c : cases(GetParam())) {
    const Plan plan = plan_of(c, GetParam().columns);
    const RowsWork* work = joined_step(plan);
    EXPECT_EQ(work != nullptr, c.joined) << c.name;
    EXPECT_EQ(work && work->back, c.with_back) << c.name;
    EXPECT_EQ(joined_step(plan_of(c, GetParam().columns, false)), nullptr) << c.name;
    if (work) {
      EXPECT_EQ(work->block, GetParam().columns == few ? 16 : 8) << c.name;
    }
  }
}

TEST_P(Rows, SharesOfTheNodesSumToOne) {
  for (const Case& c : cases(GetParam())) {
    for (const Step& step : plan_of(c, GetParam().columns).steps) {
      double sum = 0;
      for (const StepShare& share : step.shares)
        sum += share.share;
      if (step.shares.empty()) continue;
      EXPECT_NEAR(sum, 1, 1e-9) << c.name << ": " << step.name;
    }
  }
}

/// Results and new values of shared variables after two calls.
std::vector<Array> results_of(const Case& c, std::int64_t columns, const char* linker) {
  const ChangeFlags flags({{"linker", linker}, {"compile.background", "False"}});
  const DType dtype = c.inputs[0].dtype();
  std::vector<Array> values, results;
  for (const Variable& v : c.inputs) {
    const Dims dims = v.ndim() == 2 ? Dims{rows, columns} : Dims{v.name() == "y" ? rows : columns};
    values.push_back(numbers(dims, dtype, static_cast<unsigned>(values.size())));
  }
  for (const Update& u : c.updates)
    Shared(u.target).set_value(numbers({columns}, dtype, 5));
  const Function f = function(
      std::vector<In>(c.inputs.begin(), c.inputs.end()),
      Outputs(c.outputs),
      {.updates = c.updates});
  f.call(std::span<const Array>(values));
  for (const Array& a : f.call(std::span<const Array>(values)))
    results.push_back(a.copy());
  for (const Update& u : c.updates)
    results.push_back(Shared(u.target).get_value());
  return results;
}

TEST_P(Rows, AnswerAsStepByStep) {
  for (const Case& c : cases(GetParam())) {
    const std::vector<Array> joined = results_of(c, GetParam().columns, "cvm");
    const std::vector<Array> apart = results_of(c, GetParam().columns, "vm");
    ASSERT_EQ(joined.size(), apart.size());
    for (std::size_t i = 0; i < joined.size(); ++i) {
      EXPECT_TRUE(all_close(joined[i], apart[i], 1e-4, 1e-5)) << c.name << ", result " << i << "\n"
                                                              << to_text(joined[i]) << "\n"
                                                              << to_text(apart[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Matrices,
    Rows,
    testing::Values(
        Matrix{DType::float32, few},
        Matrix{DType::float64, few},
        Matrix{DType::float32, many},
        Matrix{DType::float64, many}),
    [](const auto& tested) {
      return std::string(name(tested.param.dtype)) + "x" + std::to_string(tested.param.columns);
    });

}  // namespace
}  // namespace hypatia
