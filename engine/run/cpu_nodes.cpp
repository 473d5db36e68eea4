#include "engine/run/cpu_nodes.h"

#include <algorithm>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/rewrite/reasons.h"

namespace hypatia {

namespace {

bool on_gpu(const Apply& node) {
  return node.outputs() > 0 && !node.type(0).place().on_host();
}

bool is_work(const Apply& node) {
  return !node.op().is_transfer() && !std::holds_alternative<ShapeLowering>(node.op().lowering);
}

/// A value that came from a GPU by a transfer.
bool comes_from_gpu(const Variable& v) {
  return v.node().op().is_transfer() && v.type().place().on_host();
}

/// Nodes on the CPU beside a transfer, in order.
std::vector<const Apply*> between(const Graph& graph) {
  std::vector<const Apply*> found;
  for (const Apply* node : graph.order()) {
    if (node->op().is_transfer() && on_gpu(*node) && node->input(0).owner() &&
        is_work(node->input(0).node())) {
      found.push_back(&node->input(0).node());
    }
    const Vars& inputs = node->inputs();
    const bool reads = std::any_of(inputs.begin(), inputs.end(), comes_from_gpu);
    if (is_work(*node) && !on_gpu(*node) && reads) found.push_back(node);
  }
  return found;
}

void tell(const Error& error) {
  report(config().assert_no_cpu_op(), error);
}

}  // namespace

void assert_no_cpu_op(const Graph& graph, const std::string& function) {
  if (config().assert_no_cpu_op() == "ignore") return;
  const std::vector<const Apply*>& order = graph.order();
  const bool works =
      std::any_of(order.begin(), order.end(), [](const Apply* n) { return is_work(*n); });
  const bool any_gpu = std::any_of(
      order.begin(), order.end(), [](const Apply* n) { return is_work(*n) && on_gpu(*n); });
  if (works && !any_gpu) {
    tell(Error(
        Error::Kind::device,
        "assert_no_cpu_op: every node of '" + function + "' runs on the CPU",
        "set device=cuda or device=sim, and give it float arrays"));
  }
  for (const Apply* node : any_gpu ? between(graph) : std::vector<const Apply*>()) {
    Error error(
        Error::Kind::device,
        "assert_no_cpu_op: " + print_name(*node) + " of '" + function +
            "' runs on the CPU between nodes on the GPU",
        "use an op that runs on the GPU, or take the node out of the function");
    tell(error.at(node->origin()).note("it stays there: " + cpu_reason(*node)));
  }
}

}  // namespace hypatia
