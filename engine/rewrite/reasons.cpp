#include "engine/rewrite/reasons.h"

#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/transfer.h"

namespace hypatia {

namespace {

bool on_host(const Apply& node) {
  return node.outputs() == 0 || node.type(0).place().on_host();
}

bool reads_sizes_only(const Apply& node) {
  return std::holds_alternative<ShapeLowering>(node.op().lowering);
}

bool came_from_gpu(const Variable& v) {
  return v.node().op().is_transfer() && !v.node().input(0).type().place().on_host();
}

std::string named(const Variable& v) {
  return v.name().empty() ? "its operand" : "'" + v.name() + "'";
}

/// What keeps one operand from bringing its reader to the GPU.
std::string operand_reason(const Variable& v) {
  const std::string dtype(name(v.dtype()));
  if (is_input(v) && v.node().attrs().as<InputAttrs>().keep_on_host) {
    return "the user keeps " + named(v) + " on the CPU (tag.target)";
  }
  if (is_shared(v) && v.ndim() > 0) return "the user keeps " + named(v) + " on the CPU (target)";
  if (is_constant(v)) return "";
  if (v.ndim() == 0) return "0-d: a number is not worth a transfer";
  if (is_input(v) && !is_float(v.dtype())) {
    return dtype + ": integers move only where a GPU's values need them";
  }
  return "";
}

bool op_has_gpu_lowering(const Op& op) {
  return op.is_scalar() || op.is_composite() || op.is_reduction() || op.is_view() ||
         op.is_assembly() || op.is_gather() || std::holds_alternative<ProductLowering>(op.lowering);
}

/// Marks nodes from which, or to which, a value goes across the border.
class Border {
 public:
  explicit Border(const Graph& graph) : graph_(graph), after_(size()), before_(size()) {
    for (int n = 0; n < graph.size(); ++n)
      note_after(n);
    for (int n = graph.size(); n-- > 0;)
      note_before(n);
  }

  /// True of host nodes that lie between nodes on a GPU.
  bool between(int n) const {
    return after_[static_cast<std::size_t>(n)] && before_[static_cast<std::size_t>(n)];
  }

 private:
  std::size_t size() const { return graph_.order().size(); }

  const Apply& node(int n) const { return *graph_.order()[static_cast<std::size_t>(n)]; }

  void note_after(int n) {
    if (!on_host(node(n)) || reads_sizes_only(node(n))) return;
    bool after = came_from_gpu(Variable(Ref<const Apply>(&node(n)), 0));
    for (const Variable& v : node(n).inputs()) {
      const int producer = graph_.position(&v.node());
      after |= producer >= 0 && after_[static_cast<std::size_t>(producer)];
    }
    after_[static_cast<std::size_t>(n)] = after;
  }

  void note_before(int n) {
    const bool goes_over = node(n).op().is_transfer() && !on_host(node(n));
    if (!goes_over && (!on_host(node(n)) || !before_[static_cast<std::size_t>(n)])) return;
    for (const Variable& v : node(n).inputs()) {
      const int producer = graph_.position(&v.node());
      if (producer >= 0 && on_host(node(producer)))
        before_[static_cast<std::size_t>(producer)] = true;
    }
  }

  const Graph& graph_;
  std::vector<bool> after_, before_;
};

}  // namespace

bool has_gpu_lowering(const Apply& node) {
  const auto* own = std::get_if<KernelLowering>(&node.op().lowering);
  if (own) return !own->cuda_c.empty();
  if (&node.op() != &scan_op) return op_has_gpu_lowering(node.op());
  const auto& attrs = node.attrs().as<ScanAttrs>();
  const std::vector<const Apply*>& body = attrs.body->graph.order();
  return !attrs.until && sizes_stay(*attrs.body) &&
         std::all_of(body.begin(), body.end(), [](const Apply* inner) {
           const Op& op = inner->op();
           return op_has_gpu_lowering(op) || op.is_coordinate() ||
                  std::holds_alternative<ShapeLowering>(op.lowering);
         });
}

std::string cpu_reason(const Apply& node) {
  if (node.op().is_transfer() || !on_host(node)) return "";
  if (reads_sizes_only(node)) return "a size: it is known before the call's work begins";
  if (!has_gpu_lowering(node) && !node.op().is_coordinate()) {
    return "no GPU kernel for " + std::string(node.op().name);
  }
  for (const Variable& v : node.inputs()) {
    const std::string reason = operand_reason(v);
    if (!reason.empty()) return reason;
  }
  if (!node.inputs().empty() && node.type(0).rank() == 0) {
    return "0-d: a number is not worth a transfer";
  }
  if (!is_float(node.type(0).dtype())) {
    return std::string(name(node.type(0).dtype())) +
           ": integers move only where a GPU's values need them";
  }
  return "what it reads is made on the CPU";
}

std::string transfer_reason(const Apply& node) {
  return node.op().is_transfer() ? node.attrs().as<TransferAttrs>().reason : "";
}

std::vector<const Apply*> cpu_nodes_in_the_way(const Graph& graph) {
  const auto computes_here = [](const Apply* node) {
    const Op& op = node->op();
    const bool computes = !op.is_transfer() && !op.is_view() && !op.is_coordinate();
    return on_host(*node) && computes && !reads_sizes_only(*node);
  };
  const bool any_on_gpu = std::any_of(
      graph.order().begin(), graph.order().end(), [](const Apply* n) { return !on_host(*n); });
  const Border border(graph);
  std::vector<const Apply*> found;
  for (int n = 0; n < graph.size(); ++n) {
    const Apply* node = graph.order()[static_cast<std::size_t>(n)];
    if (computes_here(node) && (!any_on_gpu || border.between(n))) found.push_back(node);
  }
  return found;
}

}  // namespace hypatia
