// Products in sums become gemms with their numbers folded in; products of elementwise work become
// part of its loop; outer products are one loop with what is added to them.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/graph/graph.h"
#include "engine/ops/product.h"

namespace hypatia {
namespace {

struct Case {
  std::string name;
  Variable y;
  std::string node;  // what the graph must hold
  double alpha = 1, beta = 1;
};

const Variable& matrix_of(const char* name) {
  static std::vector<Variable> made{
      matrix("A", DType::float64), matrix("B", DType::float64), matrix("C", DType::float64)};
  return made[static_cast<std::size_t>(name[0] - 'A')];
}

const Variable& vector_of(const char* name) {
  static std::vector<Variable> made{vector("u", DType::float64), vector("v", DType::float64)};
  return made[static_cast<std::size_t>(name[0] - 'u')];
}

std::vector<Case> cases() {
  const Variable &a = matrix_of("A"), &b = matrix_of("B"), &c = matrix_of("C");
  const Variable &u = vector_of("u"), &v = vector_of("v");
  return {
      {"gemm", c + dot(a, b), "Gemm{no_inplace}", 1, 1},
      {"scaled product", c - 0.5 * dot(a, b), "Gemm{no_inplace}", -0.5, 1},
      {"scaled both", 3.0 * c + 0.25 * dot(a, b), "Gemm{no_inplace}", 0.25, 3},
      {"the same matrix twice", c + dot(a, b) - 0.5 * c, "Gemm{no_inplace}", 1, 0.5},
      {"gemv", 2.0 * v - 4.0 * dot(a, u), "CGemv{no_inplace}", -4, 2},
      {"transposed", v + dot(a.T(), u), "CGemv{no_inplace}", 1, 1},
  };
}

std::vector<In> inputs() {
  return {matrix_of("A"), matrix_of("B"), matrix_of("C"), vector_of("u"), vector_of("v")};
}

const FunctionOptions quiet{.on_unused_input = "ignore"};

std::vector<Array> values() {
  RandomState random(7);
  return {
      random.randn({6, 6}),
      random.randn({6, 6}),
      random.randn({6, 6}),
      random.randn({6}),
      random.randn({6}),
  };
}

Array compute(const Variable& y, const char* optimizer) {
  FunctionOptions options = quiet;
  options.optimizer = optimizer;
  return function(inputs(), y, options).call(std::span<const Array>(values()));
}

TEST(Blas, FoldsNumbersAndSumsIntoProducts) {
  for (const Case& c : cases()) {
    const Function f = function(inputs(), c.y, quiet);
    const std::string text = to_text(f.toposort());
    EXPECT_NE(text.find(c.node), std::string::npos) << c.name << ": " << text;
    EXPECT_EQ(text.find("Elemwise"), std::string::npos) << c.name << ": " << text;
    for (const Apply* node : f.toposort()) {
      if (&node->op() != &gemm_op) continue;
      EXPECT_EQ(node->attrs().as<GemmAttrs>().alpha, c.alpha) << c.name;
      EXPECT_EQ(node->attrs().as<GemmAttrs>().beta, c.beta) << c.name;
    }
    EXPECT_TRUE(all_close(compute(c.y, "o4"), compute(c.y, "None"), 1e-12, 1e-12)) << c.name;
  }
}

TEST(Blas, ElementwiseWorkBecomesPartOfAMatrixVectorProduct) {
  const Variable &a = matrix_of("A"), &b = matrix_of("B"), &u = vector_of("u");
  for (const Variable& y : {dot(a * b, u), dot(u, exp(a)), tanh(dot(a + 1.0, u))}) {
    const Function f = function(inputs(), y, quiet);
    const std::string text = to_text(f.toposort());
    EXPECT_EQ(text.find("Gemv"), std::string::npos) << text;
    EXPECT_NE(f.story().find("product_of_elementwise"), std::string::npos) << f.story();
    EXPECT_TRUE(all_close(compute(y, "o4"), compute(y, "None"), 1e-12, 1e-12)) << text;
  }
  // Others need the matrix too: it is made once, and multiplied from memory.
  const Variable both = a * b;
  const Function f = function(inputs(), {dot(both, u), both}, quiet);
  EXPECT_NE(to_text(f.toposort()).find("CGemv"), std::string::npos);
}

TEST(Blas, OuterProductsAreOneLoopWithWhatIsAdded) {
  const Variable &c = matrix_of("C"), &u = vector_of("u"), &v = vector_of("v");
  const Variable y = c - 0.5 * outer(u, v);
  const Function f = function(inputs(), y, quiet);
  std::size_t loops = 0;
  for (const Apply* node : f.toposort())
    loops += class_name(*node) == "Elemwise" ? 1U : 0U;
  EXPECT_EQ(loops, 1U) << to_text(f.toposort());
  EXPECT_TRUE(all_close(compute(y, "o4"), compute(y, "None"), 1e-12, 1e-12));
}

}  // namespace
}  // namespace hypatia
