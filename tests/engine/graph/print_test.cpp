#include "engine/graph/print.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

Variable logistic_prediction() {
  const Variable x = dmatrix("x"), w = dvector("w"), b = dscalar("b");
  return 1 / (1 + exp(-dot(x, w) - b)) > 0.5;
}

TEST(Print, PprintIsOneLineOfMathematics) {
  EXPECT_EQ(
      pprint(logistic_prediction()),
      "gt((TensorConstant{1} / (TensorConstant{1} + exp(((-(x \\dot w)) - b)))), "
      "TensorConstant{0.5})");
}

TEST(Print, DebugprintIsATree) {
  const Variable x = dvector("x");
  EXPECT_EQ(
      debugprint(exp(x) + x * exp(x)),
      "Elemwise{add,no_inplace} [id A] ''\n"
      " |Elemwise{exp,no_inplace} [id B] ''\n"
      " | |x [id C]\n"
      " |Elemwise{mul,no_inplace} [id D] ''\n"
      "   |x [id C]\n"
      "   |Elemwise{exp,no_inplace} [id E] ''\n"
      "     |x [id C]\n");
}

TEST(Print, NodesMetAgainPrintTheirOwnLine) {
  const Variable x = dvector("x"), y = exp(x);
  EXPECT_EQ(
      debugprint(y + y, {.print_type = true}),
      "Elemwise{add,no_inplace} [id A] <TensorType(float64, vector)> ''\n"
      " |Elemwise{exp,no_inplace} [id B] <TensorType(float64, vector)> ''\n"
      " | |x [id C] <TensorType(float64, vector)>\n"
      " |Elemwise{exp,no_inplace} [id B] <TensorType(float64, vector)> ''\n");
  EXPECT_EQ(debugprint(y + y, {.depth = 0}), "Elemwise{add,no_inplace} [id A] ''\n");
}

TEST(Print, FunctionsShowTheOrder) {
  const Variable x = dvector("x");
  const Function f = function({x}, exp(x).sum());
  const char* on_the_cpu =
      "Sum{acc_dtype=float64} [id A] ''   1\n"
      " |Elemwise{exp,no_inplace} [id B] ''   0\n"
      "   |x [id C]\n";
  const char* on_a_gpu =
      "HostFromGpu(gpuarray) [id A] ''   3\n"
      " |GpuSum{acc_dtype=float64} [id B] ''   2\n"
      "   |GpuElemwise{exp,no_inplace} [id C] ''   1\n"
      "     |GpuFromHost<None> [id D] ''   0\n"
      "       |x [id E]\n";
  EXPECT_EQ(debugprint(f), f.uses_gpu() ? on_a_gpu : on_the_cpu);
}

TEST(Print, IdsAreLettersNumbersAddressesOrNone) {
  const Variable x = dvector("x"), y = exp(x);
  const auto with = [&](const char* ids) { return debugprint(y, {.ids = ids}); };
  EXPECT_EQ(with("int"), "Elemwise{exp,no_inplace} [id 0] ''\n |x [id 1]\n");
  EXPECT_EQ(with(""), "Elemwise{exp,no_inplace} ''\n |x\n");
  const std::string address = std::to_string(reinterpret_cast<std::uintptr_t>(&x.node()));
  EXPECT_NE(with("id").find(" |x [id " + address + "]"), std::string::npos) << with("id");
  EXPECT_MESSAGE(
      with("letters"),
      "debugprint can't name nodes by ids='letters'\n   help: it is one of 'CHAR', 'int', 'id' and "
      "''");
  Vars roots;
  for (int i = 0; i < 28; ++i)
    roots.push_back(dscalar("x"));
  const std::string text = debugprint(std::span<const Variable>(roots));
  EXPECT_NE(text.find("[id Z]\nx [id BA]\nx [id BB]\n"), std::string::npos) << text;
}

TEST(Print, StopsAtNames) {
  const Variable x = dvector("x"), h = sqr(x);
  h.set_name("h");
  const Variable y = exp(h);
  y.set_name("y");
  EXPECT_EQ(
      debugprint(y, {.stop_on_name = true}),
      "Elemwise{exp,no_inplace} [id A] 'y'\n"
      " |Elemwise{sqr,no_inplace} [id B] 'h'\n");
}

TEST(Print, SeveralRootsShareTheirIds) {
  const Variable x = dvector("x"), y = exp(x);
  const Vars roots{y, y + 1};
  EXPECT_EQ(
      debugprint(std::span<const Variable>(roots)),
      "Elemwise{exp,no_inplace} [id A] ''\n"
      " |x [id B]\n"
      "Elemwise{add,no_inplace} [id C] ''\n"
      " |Elemwise{exp,no_inplace} [id A] ''\n"
      " |DimShuffle{x} [id D] ''\n"
      "   |TensorConstant{1} [id E]\n");
}

TEST(Print, PprintHidesDimShufflesAndShortensConstants) {
  const Variable x = dmatrix("x"), v = dvector("v");
  EXPECT_EQ(pprint(x + v), "(x + v)");
  EXPECT_EQ(pprint(-pow(x, 2) / v), "((-(x ** TensorConstant{2})) / v)");
  EXPECT_EQ(pprint(v + Array::full(DType::float64, {3}, 0.5)), "(v + TensorConstant{(3,) of 0.5})");
  EXPECT_EQ(pprint(v + Array({1, 2})), "(v + TensorConstant{(2,)})");
  EXPECT_EQ(pprint(maximum(v, 0)), "maximum(v, TensorConstant{0})");
}

TEST(Print, PprintWritesPartsAndAxesAsPythonDoes) {
  const Variable m = dmatrix("m"), v = dvector("v"), i = lscalar("i");
  EXPECT_EQ(pprint(v[slice(0, 1)]), "v[0:1]");
  EXPECT_EQ(pprint(v[slice(none, -1, 2)]), "v[:-1:2]");
  EXPECT_EQ(pprint(v[i]), "v[i]");
  EXPECT_EQ(pprint(m(slice(1, none), -1)), "m[1:, -1]");
  EXPECT_EQ(pprint(m(every, i + 1)), "m[:, (i + TensorConstant{1})]");
  EXPECT_EQ(pprint(m.sum()), "Sum(m)");
  EXPECT_EQ(pprint(m.sum(0, true)), "Sum{axis=[0], acc_dtype=float64}(m)");
  EXPECT_EQ(pprint(m.max(1)), "Max{axis=[1]}(m)");
}

TEST(Print, LongChainsDoNotOverflow) {
  Variable x = dscalar("x");
  for (int i = 0; i < 50000; ++i)
    x = sin(x);
  EXPECT_GT(debugprint(x, {.depth = 10}).size(), 100U);
  EXPECT_GT(pprint(x).size(), 100U);
}

}  // namespace
}  // namespace hypatia
