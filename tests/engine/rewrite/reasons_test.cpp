#include "engine/rewrite/reasons.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

/// A graph as a function for a GPU would have it.
Graph placed(const Vars& inputs, const Vars& outputs) {
  Graph graph(inputs, outputs);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  return graph;
}

/// The reasons of all nodes, a line each.
std::string reasons(const Graph& graph) {
  std::string text;
  for (const Apply* node : graph.order())
    text += print_name(*node) + ": " + cpu_reason(*node) + transfer_reason(*node) + "\n";
  return text;
}

TEST(Reasons, TellWhyLoopsStayOnTheCpu) {
  const Variable x = vector("x", DType::float32);
  const Variable by_value = scan(
      [&](Variable i, Variable before) { return before + x[slice(0, i)].sum(); },
      {.sequences = {arange(shape_i(x, 0))}, .outputs_info = {cast(0.0, DType::float32)}});
  const Variable until = scan(
      [](Variable before) { return ScanStep{.outputs = {before * 2}, .until = before.sum() > 9}; },
      {.outputs_info = {x}, .n_steps = 9});
  const Variable solves = scan(
      [](Variable before) { return before * det(outer(before, before)); },
      {.outputs_info = {x}, .n_steps = 9});
  const Variable sorts =
      scan([](Variable before) { return sort(before) * 2; }, {.outputs_info = {x}, .n_steps = 9});
  const std::string text = reasons(placed({x}, {by_value, until, solves, sorts}));
  EXPECT_NE(text.find("values decide sizes or places in its steps"), std::string::npos) << text;
  EXPECT_NE(text.find("GpuScan{scan_fn, until}: \n"), std::string::npos) << text;
  EXPECT_NE(text.find("its steps hold Det"), std::string::npos) << text;
  EXPECT_EQ(text.find("its steps hold Sort"), std::string::npos) << text;
}

TEST(Reasons, TellEveryNodeOnTheCpuAndEveryTransfer) {
  const Variable x = matrix("x", DType::float32), i = vector("i", DType::int64);
  const Variable n = scalar("n", DType::float32);
  const Graph graph = placed({x, i, n}, {exp(x), i + 1, n * 2, det(x)});
  const std::string text = reasons(graph);
  EXPECT_NE(text.find("float32 input of GpuElemwise{exp"), std::string::npos) << text;
  EXPECT_NE(text.find("the function's result"), std::string::npos) << text;
  EXPECT_NE(text.find("int64: integers move only where"), std::string::npos) << text;
  EXPECT_NE(text.find("0-d: a number is not worth a transfer"), std::string::npos) << text;
  EXPECT_NE(text.find("Det: no GPU kernel for Det: it is LAPACK's"), std::string::npos) << text;
  for (const Apply* node : graph.order()) {
    if (!node->type(0).place().on_host()) continue;
    EXPECT_NE(cpu_reason(*node) + transfer_reason(*node), "") << print_name(*node);
  }
}

/// A network of exercise 11's kind, and its gradients.
TEST(Reasons, AConvolutionalNetworkStaysOnTheGpu) {
  const Variable x = tensor4("x", DType::float32), w = tensor4("w", DType::float32);
  const Variable v = tensor4("v", DType::float32);
  const Variable first = tanh(pool_2d(conv2d(x, w)));
  const Variable second = tanh(pool_2d(conv2d(first, v), {.mode = "average"}));
  const Variable cost = sqr(second).sum();
  const Graph graph = placed({x, w, v}, {cost, grad(cost, w), grad(cost, v)});
  int brought_in = 0, results = 0, kernels = 0;
  for (const Apply* node : graph.order()) {
    const bool size = std::holds_alternative<ShapeLowering>(node->op().lowering);
    if (node->op().is_transfer()) {
      ++(node->type(0).place().on_host() ? results : brought_in);
    } else if (node->type(0).rank() > 0 && !size) {
      EXPECT_FALSE(node->type(0).place().on_host())
          << print_name(*node) << ": " << cpu_reason(*node);
      kernels += node->op().is_kernel() ? 1 : 0;
    }
  }
  EXPECT_EQ(kernels, 9);
  EXPECT_EQ(results, 3);
  EXPECT_EQ(brought_in, 3) << reasons(graph);
}

TEST(Reasons, NameTheUsersWish) {
  const Variable x = keep_on_host(vector("x", DType::float32));
  const Graph graph = placed({x}, {exp(x)});
  EXPECT_NE(reasons(graph).find("the user keeps 'x' on the CPU"), std::string::npos)
      << reasons(graph);
}

}  // namespace
}  // namespace hypatia
