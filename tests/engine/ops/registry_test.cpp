// Every op of the registry: described, differentiable or listed, and equal however it runs.
#include "engine/ops/registry.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "engine/expr/leaves.h"
#include "engine/ops/elementwise.h"

#include "hypatia/hypatia.h"
#include "tests/checkout.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

/// Ops that have no derivative, each with the reason.
const std::map<std::string_view, std::string_view> not_differentiable{
    {"lt", "bool result"},
    {"le", "bool result"},
    {"gt", "bool result"},
    {"ge", "bool result"},
    {"eq", "bool result"},
    {"neq", "bool result"},
    {"isnan", "bool result"},
    {"isinf", "bool result"},
    {"and_", "integers"},
    {"or_", "integers"},
    {"xor", "integers"},
    {"invert", "integers"},
    {"Any", "bool result"},
    {"All", "bool result"},
    {"Shape_i", "a size"},
    {"iota", "integers"},
    {"random_uniform", "integers in"},
    {"QR", "not derived"},
    {"SVD", "not derived"},
    {"undefined_grad", "says so"},
    {"Composite", "made after differentiation"},
};

TEST(Registry, EveryOpHasANameAndADescription) {
  std::set<std::string_view> names;
  for (const Op* op : all_ops()) {
    EXPECT_FALSE(op->name.empty());
    EXPECT_FALSE(op->doc.empty()) << op->name;
    EXPECT_TRUE(op->infer) << op->name;
    EXPECT_TRUE(op->eval) << op->name;
    EXPECT_TRUE(names.insert(op->name).second) << op->name << " is a name of two ops";
    EXPECT_EQ(find_op(op->name), op);
  }
  EXPECT_EQ(find_op("no such op"), nullptr);
}

TEST(Registry, HoldsEveryOpOfTheSources) {
  const std::filesystem::path folder = std::filesystem::path(tests::checkout()) / "engine/ops";
  std::ifstream list(folder / "registry.cpp");
  const std::string registry{std::istreambuf_iterator<char>(list), {}};
  const std::regex declaration("const Op (\\w+_op)\\b *[{=]");
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator m(text.begin(), text.end(), declaration), end; m != end; ++m) {
      ++seen;
      EXPECT_NE(registry.find("&" + (*m)[1].str()), std::string::npos) << (*m)[1].str();
    }
  }
  EXPECT_GE(seen, static_cast<int>(all_ops().size()));
}

TEST(Registry, EveryOpIsDifferentiableOrListed) {
  std::set<std::string_view> without;
  for (const Op* op : all_ops()) {
    if (!op->pullback) without.insert(op->name);
  }
  for (std::string_view name : without)
    EXPECT_TRUE(not_differentiable.contains(name)) << name << " has no pullback";
  for (const auto& [name, reason] : not_differentiable) {
    EXPECT_TRUE(without.contains(name) || !find_op(name)) << name << " is differentiable after all";
  }
}

/// `hypatia why` tells it.
TEST(Registry, AnOpWithoutAGpuKernelSaysWhy) {
  int told = 0;
  for (const Op* op : all_ops()) {
    const auto* on_host = std::get_if<HostLowering>(&op->lowering);
    if (!on_host) continue;
    EXPECT_FALSE(on_host->why.empty()) << op->name;
    ++told;
  }
  EXPECT_GT(told, 5);
}

Attrs attrs_of(const Op& op, DType dtype) {
  if (&op == &cast_op || op.name == "random_uniform") return CastAttrs{dtype};
  if (op.name == "grad_clip") return GradClipAttrs{-1e9, 1e9};
  if (op.name == "grad_scale") return GradScaleAttrs{1};
  return {};
}

/// Points inside an op's domain, away from its kinks.
Array point(const Op& op, int operand, const Dims& dims) {
  RandomState random(static_cast<std::int64_t>(op.name.size()) * 10 + operand);
  if (op.name == "arccosh") return random.uniform(1.5, 3, dims);
  if (op.name == "switch" && operand == 0) return random.randint(0, 2, dims).astype(DType::float64);
  if (op.name == "int_div" || op.name == "mod") {
    return random.uniform(operand == 0 ? 7.1 : 2.1, operand == 0 ? 7.9 : 2.3, dims);
  }
  return random.uniform(0.15, 0.85, dims);
}

Variable applied(const Op& op, const Vars& inputs, DType dtype) {
  Operands operands;
  for (const Variable& v : inputs)
    operands.emplace_back(v);
  return apply_elementwise(op, operands, attrs_of(op, dtype));
}

// Ops whose gradient is made to differ from the derivative.
bool says_otherwise(const Op& op) {
  return op.name == "zero_grad" || op.name == "disconnected_grad";
}

TEST(EveryElementwiseOp, HasTheDerivativeOfItsDifferences) {
  int tested = 0;
  for (const Op* op : all_ops()) {
    if (!op->is_scalar() || !op->pullback || says_otherwise(*op)) continue;
    SCOPED_TRACE(std::string(op->name));
    std::vector<Array> points;
    for (int i = 0; i < op->arity; ++i)
      points.push_back(point(*op, i, Dims{3}));
    expect_gradients_match(
        [&](const Vars& in) { return applied(*op, in, DType::float64); }, points);
    ++tested;
  }
  EXPECT_GT(tested, 40);
}

TEST(EveryElementwiseOp, MovesAsItsDifferences) {
  for (const Op* op : all_ops()) {
    if (!op->is_scalar() || !op->pullback || says_otherwise(*op)) continue;
    SCOPED_TRACE(std::string(op->name));
    Vars inputs, tangents;
    std::vector<Array> at, ahead, behind, both;
    for (int i = 0; i < op->arity; ++i) {
      inputs.push_back(vector("x", DType::float64));
      tangents.push_back(constant(Array({0.3, -0.7, 0.5})));
      at.push_back(point(*op, i, Dims{3}));
      for (auto [list, by] : {std::pair{&ahead, 1e-5}, std::pair{&behind, -1e-5}}) {
        list->push_back(at.back().copy());
        for (int k = 0; k < 3; ++k)
          list->back().data<double>()[k] += by * (*constant_value(tangents[0])).at({k});
      }
    }
    const std::vector<In> arguments(inputs.begin(), inputs.end());
    const Variable y = applied(*op, inputs, DType::float64);
    if (!is_float(y.dtype())) continue;
    const FunctionOptions quiet{.on_unused_input = "ignore"};
    Array moved = Array::zeros(DType::float64, Dims{3});
    try {
      moved = function(arguments, Rop(Vars{y}, inputs, tangents)[0], quiet).call(at);
    } catch (const Error&) {
      // Steps don't move: their differences must be zero.
    }
    const Function f = function(arguments, y, quiet);
    const Array high = f.call(ahead), low = f.call(behind);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(moved.at({k}), (high.at({k}) - low.at({k})) / 2e-5, 1e-5);
  }
}

/// Values of any dtype: small, for no float to overflow an integer.
Array samples(DType dtype, int seed) {
  RandomState random(seed);
  const Dims dims{5};
  if (is_float(dtype)) return random.uniform(0.15, 0.95, dims).astype(dtype);
  return random.randint(dtype == DType::boolean ? 0 : 1, dtype == DType::boolean ? 2 : 7, dims)
      .astype(dtype);
}

TEST(EveryElementwiseOp, IsEqualHoweverItRunsForEveryDType) {
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    SCOPED_TRACE(std::string(name(dtype)));
    const Variable x = vector("x", dtype), y = vector("y", dtype), z = vector("z", dtype);
    const Vars inputs{x, y, z};
    const std::vector<Array> values{samples(dtype, 1), samples(dtype, 2), samples(dtype, 3)};
    Vars results;
    std::vector<const Op*> ops;
    for (const Op* op : all_ops()) {
      if (!op->is_scalar()) continue;
      try {
        results.push_back(
            applied(*op, Vars(inputs.begin(), inputs.begin() + op->arity), DType::float64));
        ops.push_back(op);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::dtype) << op->name;
      }
    }
    const FunctionOptions plain{.optimizer = "None", .on_unused_input = "ignore"};
    const Results compiled = function({x, y, z}, Outputs(results), plain).call(values);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Apply& node = results[i].node();
      const std::vector<Array> in(values.begin(), values.begin() + ops[i]->arity);
      const Types out{node.type(0).with_dims(Dims{5})};
      const Array wanted = ops[i]->eval(EvalCall{*ops[i], node.attrs(), in, out})[0];
      EXPECT_EQ(wanted.dtype(), node.type(0).dtype()) << ops[i]->name;
      EXPECT_EQ(compiled[i].dtype(), wanted.dtype()) << ops[i]->name;
      EXPECT_TRUE(
          all_close(compiled[i].astype(DType::float64), wanted.astype(DType::float64), 2e-6, 1e-7))
          << ops[i]->name << " of " << to_text(values[0]) << "\n"
          << to_text(compiled[i]) << "\nis not\n"
          << to_text(wanted);
    }
  }
}

/// Vector and scalar code, the interpreter and Array::astype wrap and lose in one way.
TEST(Cast, OfWhatDoesNotFitIsTheSameHoweverItRuns) {
  const double inf = std::numeric_limits<double>::infinity();
  const Array x(
      {-1,
       -0.5,
       127.9,
       256,
       -129,
       65536,
       2147483648,
       4294967295,
       4294967296,
       -3e9,
       9.2e18,
       9.3e18,
       1.8e19,
       1.9e19,
       1e30,
       -1e30,
       inf,
       -inf,
       std::nan("")});
  for (const DType from : {DType::float64, DType::float32}) {
    const Variable v = vector("v", from);
    for (int d = 0; d < dtype_count; ++d) {
      const auto to = static_cast<DType>(d);
      const Array value = x.astype(from), wanted = value.astype(to);
      const Array compiled = function({v}, cast(v, to))(value);
      const Array read = function({v}, cast(v, to), {.mode = {.linker = "py"}})(value);
      EXPECT_TRUE(same_elements(compiled, wanted)) << name(to) << to_text(compiled);
      EXPECT_TRUE(same_elements(read, wanted)) << name(to) << to_text(read);
    }
  }
}

TEST(EveryElementwiseOp, TakesArraysOfSizeZeroAndOne) {
  for (std::int64_t size : {0, 1}) {
    const Variable x = vector("x", DType::float64);
    Vars results;
    for (const Op* op : all_ops()) {
      if (!op->is_scalar() || op->name == "and_" || op->name == "or_" || op->name == "xor" ||
          op->name == "invert") {
        continue;
      }
      results.push_back(applied(*op, Vars(static_cast<std::size_t>(op->arity), x), DType::float64));
    }
    const Results r = function({x}, Outputs(results))(Array::full(DType::float64, {size}, 0.5));
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(r[i].dims(), (Dims{size})) << results[i].node().op().name;
  }
}

TEST(EveryReduction, HasTheDerivativeOfItsDifferences) {
  RandomState random(5);
  const Array x = random.uniform(0.2, 2, Dims{3, 4});
  for (const Op* op : all_ops()) {
    if (!op->is_reduction() || !op->pullback) continue;
    SCOPED_TRACE(std::string(op->name));
    for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {0, 1}}) {
      expect_gradients_match(
          [&](const Vars& in) {
            return apply(*op, {in[0]}, ReduceAttrs{axes, DType::float64});
          },
          {x});
    }
  }
}

TEST(Dot, HasTheDerivativeOfItsDifferences) {
  RandomState random(6);
  const Array matrix = random.randn({3, 3}), vector = random.randn({3});
  for (const Array& a : {matrix, vector}) {
    for (const Array& b : {matrix, vector})
      expect_gradients_match([](const Vars& in) { return dot(in[0], in[1]); }, {a, b});
  }
}

TEST(EveryOp, CostsAreFiniteAndNotNegative) {
  for (const Op* op : all_ops()) {
    // Those with kernel text of their own want attributes: OwnText has samples of each.
    if (!op->cost || op->arity < 0 || op->is_kernel()) continue;
    const Type t(DType::float64, Dims{4, 4});
    const Types in(static_cast<std::size_t>(op->arity), t);
    const Types out{t};
    Attrs attrs;
    if (op->is_reduction()) attrs = ReduceAttrs{{0}, DType::float64};
    if (op == &gemm_op) attrs = GemmAttrs{};
    const Cost cost = op->cost(CostCall{*op, attrs, in, out});
    EXPECT_TRUE(std::isfinite(cost.flops) && cost.flops >= 0) << op->name;
    EXPECT_TRUE(std::isfinite(cost.bytes) && cost.bytes > 0) << op->name;
  }
}

}  // namespace
}  // namespace hypatia
