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

std::string named(const Variable& v) {
  return v.name().empty() ? "its operand" : "'" + v.name() + "'";
}

/// What keeps one operand from bringing its reader to the GPU.
std::string operand_reason(const Variable& v) {
  const std::string dtype(name(v.dtype()));
  if (is_input(v) && v.node().attrs().as<InputAttrs>().keep_on_host) {
    return "the user keeps " + named(v) + " on the CPU (keep_on_host)";
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
  const auto* own = std::get_if<KernelLowering>(&op.lowering);
  if (own) return !own->cuda_c.empty();
  return op.is_scalar() || op.is_composite() || op.is_reduction() || op.is_view() ||
         op.is_assembly() || op.is_gather() || std::holds_alternative<ProductLowering>(op.lowering);
}

std::string no_kernel_reason(const Op& op) {
  const std::string reason = "no GPU kernel for " + std::string(op.name);
  const auto* on_host = std::get_if<HostLowering>(&op.lowering);
  if (op.is_kernel()) return reason + ": its KernelLowering has no cuda_c";
  return on_host && !on_host->why.empty() ? reason + ": " + std::string(on_host->why) : reason;
}

std::string loop_reason(const Apply& node);

bool runs_in_gpu_loop(const Apply& node) {
  const Op& op = node.op();
  if (&op == &scan_op) return loop_reason(node).empty();
  return op_has_gpu_lowering(op) || op.is_coordinate() ||
         std::holds_alternative<ShapeLowering>(op.lowering);
}

/// Why a loop can't run on a GPU, or not even as kernels; "" if it can.
std::string loop_reason(const Apply& node) {
  const auto& attrs = node.attrs().as<ScanAttrs>();
  if (!sizes_stay(*attrs.body)) {
    return "values decide sizes or places in its steps: each op of a step runs by its reference "
           "evaluation";
  }
  for (const Apply* inner : attrs.body->graph.order()) {
    if (!runs_in_gpu_loop(*inner))
      return "its steps hold " + print_name(*inner) + ", which has no GPU kernel";
  }
  return "";
}

}  // namespace

bool has_gpu_lowering(const Apply& node) {
  return &node.op() == &scan_op ? loop_reason(node).empty() : op_has_gpu_lowering(node.op());
}

std::string cpu_reason(const Apply& node) {
  if (node.op().is_transfer() || !on_host(node)) return "";
  if (reads_sizes_only(node)) return "a size: it is known before the call's work begins";
  if (&node.op() == &scan_op && !loop_reason(node).empty()) return loop_reason(node);
  if (!has_gpu_lowering(node) && !node.op().is_coordinate()) {
    return no_kernel_reason(node.op());
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

}  // namespace hypatia
