#include "engine/grad/reverse.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/graph/graph.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/ops/registry.h"

namespace hypatia {

namespace {

/// Inputs that say how large the result is, or where it lies, have no part in its elements.
bool only_sizes(const Op& op, std::size_t input) {
  if (std::holds_alternative<ShapeLowering>(op.lowering)) return true;
  return input < 32 && ((op.size_inputs >> input) & 1U) != 0;
}

}  // namespace

Variable fit_gradient(const Variable& contribution, const Variable& model) {
  const Type& wanted = model.type();
  if (contribution.ndim() != wanted.rank()) {
    throw Error(
        Error::Kind::graph,
        "a gradient has " + std::to_string(contribution.ndim()) + " axes, and its variable " +
            std::to_string(wanted.rank()),
        "a pullback must give each input's gradient in the shape of that input")
        .with({"gradient", brief(contribution.type()), contribution.name(), {}})
        .with({"variable", brief(wanted), model.name(), model.node().origin()});
  }
  std::vector<int> stretched;
  bool narrower = false;
  for (int axis = 0; axis < wanted.rank(); ++axis) {
    const bool broadcast = contribution.type().broadcastable(axis);
    if (wanted.broadcastable(axis) && !broadcast) stretched.push_back(axis);
    narrower |= !wanted.broadcastable(axis) && broadcast;
  }
  Variable fitted = contribution;
  if (!stretched.empty()) fitted = sum(fitted, Axes(stretched, true));
  if (narrower) fitted = fill(model, fitted);
  return is_float(wanted.dtype()) ? cast(fitted, wanted.dtype()) : fitted;
}

ReverseSweep::ReverseSweep(const Seeds& seeds, const Vars& wrt, const Vars& constants) {
  order_nodes(seeds, wrt);
  mark_dependents(wrt, constants);
  for (const auto& [v, adjoint] : seeds) {
    Bar& bar = bars_[slot(v)];
    fixed_[slot(v)] = true;
    bar.state = is_float(v.dtype()) ? Bar::State::value : Bar::State::zero;
    bar.value = adjoint;
  }
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
    sweep(*node);
}

std::size_t ReverseSweep::slot(const Variable& v) {
  const auto [entry, fresh] = first_slot_.emplace(&v.node(), bars_.size());
  if (fresh) {
    const auto outputs = static_cast<std::size_t>(v.node().outputs());
    bars_.resize(bars_.size() + outputs);
    depends_.resize(bars_.size());
    fixed_.resize(bars_.size());
  }
  return entry->second + static_cast<std::size_t>(v.index());
}

void ReverseSweep::order_nodes(const Seeds& seeds, const Vars& wrt) {
  Vars roots;
  for (const auto& seed : seeds)
    roots.push_back(seed.first);
  for (const Apply* apply : topological_order(roots)) {
    nodes_.push_back({apply, bars_.size()});
    first_slot_.emplace(apply, bars_.size());
    bars_.resize(bars_.size() + static_cast<std::size_t>(apply->outputs()));
  }
  depends_.resize(bars_.size());
  fixed_.resize(bars_.size());
  for (const Variable& v : wrt)
    slot(v);
}

void ReverseSweep::mark_dependents(const Vars& wrt, const Vars& constants) {
  for (const Variable& v : wrt)
    depends_[slot(v)] = true;
  std::vector<bool> constant(bars_.size());
  for (const Variable& v : constants) {
    const std::size_t at = slot(v);
    constant.resize(bars_.size());
    constant[at] = true;
    depends_[at] = false;
  }
  for (const Node& node : nodes_) {
    bool any = false;
    const Vars& inputs = node.apply->inputs();
    for (std::size_t i = 0; i < inputs.size() && !any; ++i) {
      const auto known = first_slot_.find(&inputs[i].node());
      if (known == first_slot_.end() || only_sizes(node.apply->op(), i)) continue;
      any = depends_[known->second + static_cast<std::size_t>(inputs[i].index())];
    }
    if (!any || &node.apply->op() == &disconnected_grad_op) continue;
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.apply->outputs()); ++i)
      if (!constant[node.first + i]) depends_[node.first + i] = true;
  }
}

void ReverseSweep::sweep(const Node& node) {
  bool value = false, zero = false, inside = false;
  const Apply* culprit = nullptr;
  for (int i = 0; i < node.apply->outputs(); ++i) {
    const std::size_t at = node.first + static_cast<std::size_t>(i);
    if (!depends_[at]) continue;
    inside = true;
    const Bar& bar = bars_[at];
    value |= bar.state == Bar::State::value;
    zero |= bar.state == Bar::State::zero;
    if (bar.state == Bar::State::undefined) culprit = bar.culprit;
  }
  if (!inside) return;
  if (culprit) {
    spread(node, Bar::State::undefined, culprit);
  } else if (value && !node.apply->op().pullback) {
    spread(node, Bar::State::undefined, node.apply);
  } else if (value) {
    pull(node);
  } else if (zero) {
    spread(node, Bar::State::zero, nullptr);
  }
}

namespace {

/// "SumDiffOp (ops.cpp:97)".
std::string op_and_line(const Op& op, const Origin& at) {
  if (!at) return std::string(op.name);
  const std::string file = at.file;
  return std::string(op.name) + " (" + file.substr(file.find_last_of('/') + 1) + ":" +
         std::to_string(at.line) + ")";
}

/// The gradients by the inputs. An error in a pullback of the user's own says so, with its line.
Vars gradients_of(const Adjoint& adjoint) {
  const Op& op = adjoint.node.op();
  try {
    return op.pullback(adjoint);
  } catch (const Error& error) {
    const auto engines = all_ops();
    if (std::find(engines.begin(), engines.end(), &op) != engines.end()) throw;
    std::string said =
        "in the pullback of " + op_and_line(op, error.origin()) + ": " + error.summary();
    for (std::size_t i = 0; i < adjoint.out_bar.size(); ++i) {
      if (adjoint.out_bar[i]) continue;
      said += "; out_bar[" + std::to_string(i) + "] is empty, as the cost does not use output " +
              std::to_string(i);
    }
    Error told(error.kind(), said, error.help());
    for (const Error::Operand& operand : error.operands())
      told.with(operand);
    throw told;
  }
}

}  // namespace

void ReverseSweep::pull(const Node& node) {
  const Apply& apply = *node.apply;
  const OriginScope scope(apply.origin());
  const Ref<const Apply> ref(&apply);
  Adjoint adjoint{apply, apply.inputs(), {}, {}};
  for (int i = 0; i < apply.outputs(); ++i) {
    const Bar& bar = bars_[node.first + static_cast<std::size_t>(i)];
    adjoint.out.emplace_back(ref, static_cast<std::uint32_t>(i));
    adjoint.out_bar.push_back(bar.state == Bar::State::value ? bar.value : Variable());
  }
  const Vars contributions = gradients_of(adjoint);
  if (contributions.size() != apply.inputs().size()) {
    internal_error("the pullback of " + print_name(apply) + " gave another number of gradients");
  }
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    if (only_sizes(apply.op(), i)) continue;
    receive(apply.inputs()[i], apply, contributions[i]);
  }
}

void ReverseSweep::receive(const Variable& v, const Apply& from, const Variable& contribution) {
  const auto known = first_slot_.find(&v.node());
  if (known == first_slot_.end()) return;
  const std::size_t at = known->second + static_cast<std::size_t>(v.index());
  if (!depends_[at] || fixed_[at]) return;
  Bar& bar = bars_[at];
  if (bar.state == Bar::State::undefined) return;
  if (!contribution || !is_float(v.dtype())) {
    if (bar.state == Bar::State::none) bar.state = Bar::State::zero;
    return;
  }
  try {
    const Variable fitted = fit_gradient(contribution, v);
    bar.value = bar.value ? bar.value + fitted : fitted;
    bar.state = Bar::State::value;
  } catch (Error& error) {
    error.note("in the pullback of " + print_name(from));
    throw;
  }
}

void ReverseSweep::spread(const Node& node, Bar::State state, const Apply* culprit) {
  const Vars& inputs = node.apply->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto known = first_slot_.find(&inputs[i].node());
    if (known == first_slot_.end() || only_sizes(node.apply->op(), i)) continue;
    const std::size_t at = known->second + static_cast<std::size_t>(inputs[i].index());
    if (!depends_[at] || fixed_[at]) continue;
    Bar& bar = bars_[at];
    // An integer input of an op without a derivative has none to miss.
    const bool undefined = state == Bar::State::undefined && is_float(inputs[i].dtype());
    if (undefined) {
      bar = {Bar::State::undefined, {}, culprit};
    } else if (bar.state == Bar::State::none) {
      bar.state = Bar::State::zero;
    }
  }
}

Bar ReverseSweep::bar(const Variable& v) const {
  const auto known = first_slot_.find(&v.node());
  if (known == first_slot_.end()) return {};
  const Bar& bar = bars_[known->second + static_cast<std::size_t>(v.index())];
  return depends_[known->second + static_cast<std::size_t>(v.index())] ? bar : Bar{};
}

}  // namespace hypatia
