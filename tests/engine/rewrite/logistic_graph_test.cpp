// The graphs of the tutorial's logistic regression as its readers see them printed, before kernels
// merge.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/expr/op.h"
#include "engine/graph/graph.h"
#include "engine/ops/product.h"

namespace hypatia {
namespace {

struct Regression {
  Function train, predict;

  Regression() {
    const DType f32 = DType::float32;
    const Shared w = shared(Array::zeros(f32, {784}), "w"), b = shared(Array::zeros(f32, {}), "b");
    const Variable x = matrix("x", f32), y = vector("y", f32);
    const Variable p_1 = 1 / (1 + exp(-dot(x, w) - b));
    const Variable prediction = p_1 > 0.5F;
    const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
    const Variable cost = cast(xent.mean(), f32) + 0.01F * sqr(w).sum();
    const Vars g = grad(cost, {w, b});
    train = function(
        {x, y},
        {prediction, xent},
        {.updates = {{w, w - 0.01F * g[0]}, {b, b - 0.01F * g[1]}}, .name = "train"});
    predict = function({x}, prediction, {.name = "predict"});
  }
};

std::vector<const Apply*> of_class(const Function& f, const std::string& name) {
  std::vector<const Apply*> found;
  for (const Apply* node : f.toposort()) {
    if (class_name(*node) == name) found.push_back(node);
  }
  return found;
}

int composites_with(const Function& f, const std::string& word) {
  int count = 0;
  for (const Apply* node : of_class(f, "Elemwise")) {
    const std::string name = print_name(*node);
    const bool composite = name.find("Composite") != std::string::npos;
    count += composite && name.find(word) != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(LogisticGraph, TrainHasTwoProductsOneOfThemInPlace) {
  const Regression regression;
  const std::vector<const Apply*> products = of_class(regression.train, "CGemv");
  const std::string text = to_text(regression.train.toposort());
  ASSERT_EQ(products.size(), 2U) << text;
  EXPECT_EQ(&products[0]->op(), &dot_op) << text;
  ASSERT_EQ(&products[1]->op(), &gemm_op) << text;
  const GemmAttrs& attrs = products[1]->attrs().as<GemmAttrs>();
  EXPECT_TRUE(attrs.inplace);
  EXPECT_NEAR(attrs.beta, 0.9998, 1e-8);
  EXPECT_NEAR(attrs.alpha, -0.01, 1e-9);
  EXPECT_EQ(products[1]->input(0).name(), "w");
  EXPECT_EQ(print_name(*products[1]), "CGemv{inplace}");
}

TEST(LogisticGraph, TrainHasOneNodeForCrossEntropyAndOneForTheGradient) {
  const Regression regression;
  const std::string text = to_text(regression.train.toposort());
  // The cross-entropy and the gradient are the only fused nodes over the points, beside b's update
  // and the share of a point.
  EXPECT_EQ(composites_with(regression.train, "softplus"), 1) << text;
  EXPECT_EQ(composites_with(regression.train, "sigmoid"), 1) << text;
  EXPECT_EQ(of_class(regression.train, "Sum").size(), 1U) << text;
  EXPECT_EQ(text.find("log("), std::string::npos) << text;
}

TEST(LogisticGraph, PredictIsAProductAndAComposite) {
  const Regression regression;
  const std::string text = to_text(regression.predict.toposort());
  EXPECT_EQ(of_class(regression.predict, "CGemv").size(), 1U) << text;
  EXPECT_EQ(of_class(regression.predict, "Elemwise").size(), 1U) << text;
  EXPECT_EQ(composites_with(regression.predict, "gt(sigmoid("), 1) << text;
}

}  // namespace
}  // namespace hypatia
