// Loops and ops with text of their own as CUDA C that NVRTC compiles; needs no GPU.
#include <gtest/gtest.h>
#include <map>

#include "engine/core/error.h"
#include "engine/device/cuda/compiler.h"
#include "engine/emit/emit.h"
#include "engine/graph/concrete.h"
#include "engine/ops/math.h"
#include "engine/rewrite/pass.h"

#include "hypatia/hypatia.h"
#include "tests/engine/ops/own_samples.h"

namespace hypatia {
namespace {

/// The CUDA C of a function as it would run on the first GPU; "" where nothing runs there.
std::string compiled_text(const Vars& inputs, const Vars& outputs, const std::vector<Dims>& sizes) {
  Graph graph(inputs, outputs);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  std::unordered_map<Variable, Type, VariableHash> types;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Variable& v = graph.inputs()[i];
    types.emplace(v, v.type().with_dims(sizes[i]));
  }
  const Plan plan = make_plan(graph, Concrete(graph, types));
  std::string text;
  for (const KernelSource& source : emit_module(plan, graph, Dialect::cuda_c, "test").sources) {
    try {
      const std::string ptx = compile_to_ptx(source, "compute_90");
      for (const std::string& entry : source.entries)
        EXPECT_NE(ptx.find(".entry " + entry + "("), std::string::npos) << entry;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what() << "\n" << source.text;
    }
    text += source.text;
  }
  return text;
}

class CudaLoops : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!nvrtc_reason().empty()) GTEST_SKIP() << nvrtc_reason();
  }
};

TEST_P(CudaLoops, ElementwiseBodiesAreOneKernel) {
  const Variable s = matrix("s", GetParam()), x = vector("x", GetParam());
  const ScanResult r = scan(
      [](Variable row, Variable before2, Variable before1) {
        return Vars{tanh(before1) * before2 + row, exp(row)};
      },
      {.sequences = {s}, .outputs_info = {taps(stack({x, x}), {-2, -1}), none}});
  const std::string all = compiled_text({s, x}, {r[0], r[1]}, {{100, 33}, {33}});
  EXPECT_NE(all.find("past0_2"), std::string::npos) << all;
  const std::string last = compiled_text({s, x}, {r[0][-1]}, {{100, 33}, {33}});
  EXPECT_NE(last.find("past0_2"), std::string::npos) << last;
}

TEST_P(CudaLoops, ConditionsToStopAreInTheKernel) {
  const Variable x = vector("x", GetParam());
  const ScanResult r = scan(
      [](Variable before, Variable size) {
        return ScanStep{.outputs = {tanh(before) * size, size * 2}, .until = size > 45};
      },
      {.outputs_info = {x, constant(Array(1.0).astype(GetParam()))}, .n_steps = 20});
  const std::string text = compiled_text({x}, r.outputs, {{33}});
  EXPECT_NE(text.find("taken = t + 1;"), std::string::npos) << text;
}

TEST_P(CudaLoops, OtherBodiesAreStepsOnTheDevice) {
  const Variable w = matrix("w", GetParam()), x = vector("x", GetParam());
  const ScanResult r = scan(
      [&](Variable before) { return tanh(dot(before, w)); }, {.outputs_info = {x}, .n_steps = 7});
  const Variable cost = r[0][-1].sum();
  EXPECT_FALSE(compiled_text({w, x}, {cost}, {{5, 5}, {5}}).empty());
  EXPECT_FALSE(compiled_text({w, x}, {grad(cost, w)}, {{5, 5}, {5}}).empty());
}

TEST_P(CudaLoops, TextOfOnesOwnIsCompiled) {
  static const Op op{
      .name = "Scaled",
      .doc = "x times the number of rows",
      .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0]); },
      .lowering =
          KernelLowering{
              .cuda_c = "  const long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (n >= z0_size) return;\n"
                        "  const long long i = n / z0_dim1, j = n % z0_dim1;\n"
                        "  z0[n] = scaled(x0[i * x0_stride0 + j * x0_stride1]) * (x0_t)x0_dim0;",
              .support = "static __device__ double scaled(double x) { return x; }",
              .strided = true,
          },
      .eval = [](const EvalCall& call) -> std::vector<Array> { return {call.in[0].copy()}; },
  };
  const Variable x = matrix("x", GetParam());
  const Variable y = apply(op, {x.T()});
  const std::string text = compiled_text({x}, {y, apply(op, {y})}, {{3, 4}});
  EXPECT_NE(text.find("x0_stride1 = 4"), std::string::npos) << text;
}

TEST_P(CudaLoops, EveryTextOfTheRegistryIsCompiled) {
  Vars inputs, outputs;
  std::vector<Dims> sizes;
  std::map<const Op*, int> times;
  for (const OwnSample& sample : own_samples(GetParam())) {
    constexpr int enough = 6;
    const bool empty = sample.inputs[0].elements() == 0;
    if (++times[sample.op] > enough && !empty) continue;
    Vars operands;
    for (const Array& a : sample.inputs) {
      operands.push_back(
          a.rank() == 0 ? constant(a)
                        : input(Type(a.dtype(), Dims::filled(a.rank(), unknown_dim))));
      if (a.rank() == 0) continue;
      inputs.push_back(operands.back());
      sizes.push_back(a.dims());
    }
    outputs.push_back(apply(*sample.op, operands, sample.attrs));
  }
  const std::string text = compiled_text(inputs, outputs, sizes);
  for (const OwnSample& sample : own_samples(GetParam()))
    EXPECT_NE(text.find(" * Gpu" + std::string(sample.op->name)), std::string::npos)
        << sample.op->name;
}

INSTANTIATE_TEST_SUITE_P(
    Floats, CudaLoops, testing::Values(DType::float32, DType::float64), [](const auto& tested) {
      return std::string(name(tested.param));
    });

}  // namespace
}  // namespace hypatia
