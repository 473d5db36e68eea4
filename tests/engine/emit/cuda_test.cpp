// Every elementwise op, reduction and fusion, for every dtype that has it, as CUDA C that NVRTC
// compiles; needs no GPU.
#include <functional>
#include <gtest/gtest.h>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/device/cuda/compiler.h"
#include "engine/emit/emit.h"
#include "engine/expr/inputs.h"
#include "engine/graph/concrete.h"
#include "engine/ops/compare.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/random.h"
#include "engine/ops/reduce.h"
#include "engine/ops/registry.h"
#include "engine/ops/shape.h"
#include "engine/ops/transfer.h"
#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

constexpr std::array<DType, dtype_count> dtypes{
    DType::boolean,
    DType::int8,
    DType::int16,
    DType::int32,
    DType::int64,
    DType::uint8,
    DType::uint16,
    DType::uint32,
    DType::uint64,
    DType::float32,
    DType::float64,
};

/// A function's kernels as they would run on the first GPU.
EmittedModule module_of(const Vars& inputs, const Vars& outputs, const std::vector<Dims>& sizes) {
  Graph graph(inputs, outputs);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  std::unordered_map<Variable, Type, VariableHash> types;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Variable& v = graph.inputs()[i];
    types.emplace(v, v.type().with_dims(sizes[i]));
  }
  const Plan plan = make_plan(graph, Concrete(graph, types));
  return emit_module(plan, graph, Dialect::cuda_c, "test");
}

void expect_compiles(const EmittedModule& module) {
  ASSERT_EQ(module.sources.size(), 1U) << "no kernel was made";
  try {
    const std::string ptx = compile_to_ptx(module.sources.at(0), "compute_90");
    const KernelSource& source = module.sources.at(0);
    ASSERT_EQ(source.nodes.size(), source.entries.size());
    for (const std::string& node : source.nodes)
      EXPECT_FALSE(node.empty());
    for (const std::string& entry : source.entries) {
      EXPECT_NE(ptx.find(".entry " + entry + "("), std::string::npos) << entry;
    }
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << module.sources.at(0).text;
  }
}

/// Integers go to the GPU only when they are asked to.
Variable on_gpu(const Variable& x) {
  return transfer(x, Place{0});
}

/// The results that exist for these operands: ops refuse dtypes they can't take.
Vars applied(const std::vector<std::function<Variable()>>& makers) {
  Vars outputs;
  for (const auto& make : makers) {
    try {
      outputs.push_back(make());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::dtype) << error.what();
    }
  }
  return outputs;
}

/// Every elementwise op of the registry with so many operands, applied where it can be.
Vars each_elementwise(const Operands& operands) {
  std::vector<std::function<Variable()>> makers;
  for (const Op* op : all_ops()) {
    if (!op->is_scalar() || op->arity != static_cast<int>(operands.size())) continue;
    if (op == &cast_op || op == &random_uniform_op) continue;  // have attributes
    makers.emplace_back([=] { return apply_elementwise(*op, operands); });
  }
  return applied(makers);
}

class CudaText : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(CudaText, UnaryOpsCompile) {
  const Variable x = vector("x", GetParam());
  const Vars outputs = each_elementwise({on_gpu(x)});
  EXPECT_GT(outputs.size(), 25U);
  expect_compiles(module_of({x}, outputs, {{1000}}));
}

TEST_P(CudaText, BinaryOpsCompile) {
  for (const DType other : {GetParam(), DType::int16, DType::float32}) {
    const Variable x = vector("x", GetParam()), y = vector("y", other);
    const Vars outputs = each_elementwise({on_gpu(x), on_gpu(y)});
    EXPECT_GT(outputs.size(), 12U);
    expect_compiles(module_of({x, y}, outputs, {{1000}, {1000}}));
  }
}

TEST_P(CudaText, ChoicesCompile) {
  const Variable x = vector("x", GetParam()), y = vector("y", DType::float32);
  const Vars outputs = each_elementwise({on_gpu(y) > 0, on_gpu(x), on_gpu(y)});
  EXPECT_GT(outputs.size(), 0U);
  expect_compiles(module_of({x, y}, outputs, {{1000}, {1000}}));
}

TEST_P(CudaText, CastsCompile) {
  const Variable x = vector("x", GetParam());
  Vars outputs;
  for (const DType to : dtypes)
    outputs.push_back(cast(on_gpu(x), to) + cast(on_gpu(x), to));
  expect_compiles(module_of({x}, outputs, {{1000}}));
}

TEST_P(CudaText, ReductionsCompile) {
  const Variable x = matrix("x", GetParam());
  std::vector<std::function<Variable()>> makers;
  for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}}) {
    for (auto* reduction : {&sum, &prod, &mean})
      makers.emplace_back([=] { return reduction(on_gpu(x), axes, {}); });
    for (auto* reduction : {&max, &min, &any, &all})
      makers.emplace_back([=] { return reduction(on_gpu(x), axes); });
  }
  // Short and long rows and columns, and arrays that need one block or several, take other ways.
  for (const Dims& size : {Dims{7, 5}, Dims{3, 1000}, Dims{1000, 3}, Dims{700, 1200}})
    expect_compiles(module_of({x}, applied(makers), {size}));
}

std::string name_of(const testing::TestParamInfo<DType>& tested) {
  return std::string(name(tested.param));
}

INSTANTIATE_TEST_SUITE_P(DTypes, CudaText, testing::ValuesIn(dtypes), name_of);

class CudaTextOfShapes : public CudaText {};

TEST_P(CudaTextOfShapes, BroadcastsAndViewsCompile) {
  const Variable x = matrix("x", GetParam()), y = vector("y", GetParam());
  const Variable z = tensor3("z", GetParam());
  expect_compiles(module_of(
      {x, y, z},
      {
          exp(x) + y,
          x.T() * 2,
          exp(x + z) - y,
          sum(exp(x.T() - 1), 0),
          (x * y + 1) / (x - y),
      },
      {{30, 40}, {40}, {5, 30, 40}}));
}

// A launch has one block at least: where there is nothing to store, its threads must know.
TEST(CudaTextOfNothing, EveryKernelReturnsAtOnce) {
  const Variable x = matrix("x", DType::float64);
  for (const Dims& size : {Dims{0, 7}, Dims{0, 33}, Dims{0, 5000}}) {
    const EmittedModule module =
        module_of({x}, {sum(x, 1), max(x.T() * 2, 0), exp(x) / 3, mean(tanh(x), 1) + 1}, {size});
    ASSERT_EQ(module.sources.size(), 1U);
    const std::string& text = module.sources[0].text;
    std::size_t kernels = 0, guards = 0;
    for (std::size_t at = 0; (at = text.find("__global__", at)) != std::string::npos; ++at)
      ++kernels;
    for (std::size_t at = 0; (at = text.find(">= 0) return;", at)) != std::string::npos; ++at)
      ++guards;
    EXPECT_GT(kernels, 0U);
    EXPECT_EQ(guards, kernels) << text;
  }
}

TEST_P(CudaTextOfShapes, ALargeFusionCompiles) {
  const Variable x = vector("x", GetParam());
  Variable y = x;
  for (int i = 0; i < 60; ++i)
    y = tanh(y * 1.5 + x) - sigmoid(y);
  expect_compiles(module_of({x}, {y, sum(y)}, {{100'000}}));
}

TEST_P(CudaTextOfShapes, IndicesBeyondTwoThousandMillionCompile) {
  const Variable x = matrix("x", GetParam());
  const EmittedModule module = module_of({x}, {exp(x) + x.T()}, {{60'000, 60'000}});
  expect_compiles(module);
  EXPECT_NE(module.sources.at(0).text.find("long long"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Floats, CudaTextOfShapes, testing::Values(DType::float32, DType::float64), name_of);

}  // namespace
}  // namespace hypatia
