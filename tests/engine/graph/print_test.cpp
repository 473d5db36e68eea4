#include "engine/graph/print.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

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
  EXPECT_EQ(
      debugprint(f),
      "Sum{acc_dtype=float64} [id A] ''   1\n"
      " |Elemwise{exp,no_inplace} [id B] ''   0\n"
      "   |x [id C]\n");
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
