#include "engine/loop/scan_close.h"

#include <algorithm>
#include <unordered_set>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/watch.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// True of constants, and of expressions of nothing else.
bool only_constants(const Variable& v) {
  const Vars leaves = leaves_of(Vars{v});
  return std::all_of(leaves.begin(), leaves.end(), is_constant);
}

class Closer {
 public:
  Closer(const Vars& roots, const Vars& varying, const Vars& arguments, const Vars& outside)
      : roots_(roots), varying_(varying), arguments_(arguments), outside_(outside) {}

  Closed run(bool strict) {
    strict_ = strict;
    mark();
    for (const Apply* node : topological_order(roots_)) {
      if (!varies_.contains(node)) continue;
      for (const Variable& v : node->inputs())
        meet(v);
    }
    for (const Variable& v : roots_)
      meet(v);
    Vars inputs = varying_, constants;
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      inputs.push_back(inside_[i]);
      constants.push_back(captured_[i]);
    }
    const Unwatched engine;
    return {Graph(inputs, substitute(roots_, pairs_)), constants};
  }

 private:
  /// Notes the applications and inputs that a step gives anew.
  void mark() {
    for (const Variable& v : varying_)
      varies_.insert(&v.node());
    for (const Apply* node : topological_order(roots_)) {
      const auto& in = node->inputs();
      const bool varies = std::any_of(
          in.begin(), in.end(), [&](const Variable& v) { return varies_.contains(&v.node()); });
      if (varies) varies_.insert(node);
    }
  }

  /// A value that the varying part reads; from outside it becomes a constant of the loop.
  void meet(const Variable& v) {
    if (varies_.contains(&v.node()) || !met_.insert(v).second) return;
    if (is_constant(v)) return;
    const Variable named = expression_outside(v);
    if (strict_) check_listed(v, named);
    const Variable inner = input(v.type().with_place(host), named.name(), v.node().origin());
    pairs_.emplace_back(v, inner);
    inside_.push_back(inner);
    captured_.push_back(named);
  }

  /// The same expression with the step's arguments replaced by what they stand for.
  Variable expression_outside(const Variable& v) const {
    std::vector<std::pair<Variable, Variable>> pairs;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      pairs.emplace_back(arguments_[i], outside_[i]);
    return pairs.empty() ? v : substitute(Vars{v}, pairs)[0];
  }

  void check_listed(const Variable& v, const Variable& named) const {
    for (const Variable& leaf : leaves_of(Vars{v})) {
      const bool argument =
          std::find(arguments_.begin(), arguments_.end(), leaf) != arguments_.end();
      const bool listed = std::find(outside_.begin(), outside_.end(), leaf) != outside_.end() ||
                          std::find(outside_.begin(), outside_.end(), named) != outside_.end();
      if (argument || listed || only_constants(leaf)) continue;
      throw Error(
          Error::Kind::graph,
          "a strict scan uses " +
              (leaf.name().empty() ? std::string("a variable") : "'" + leaf.name() + "'") +
              ", which is not among its non_sequences",
          "list it in non_sequences, or leave strict out")
          .with(describe(leaf, leaf.type(), "missing"));
    }
  }

  const Vars &roots_, &varying_, &arguments_, &outside_;
  bool strict_ = false;
  std::unordered_set<const Apply*> varies_;
  std::unordered_set<Variable, VariableHash> met_;
  std::vector<std::pair<Variable, Variable>> pairs_;
  Vars inside_, captured_;
};

}  // namespace

Closed close_body(
    const Vars& roots,
    const Vars& varying,
    const Vars& arguments,
    const Vars& non_sequences,
    bool strict) {
  return Closer(roots, varying, arguments, non_sequences).run(strict);
}

Vars inlined_step(const ScanAttrs& attrs, const Vars& inputs) {
  const Vars& inner = attrs.body->graph.inputs();
  std::vector<std::pair<Variable, Variable>> pairs;
  std::size_t next = 0;
  for (int s = 0; s < attrs.sequences; ++s)
    pairs.emplace_back(inner[next++], inputs[static_cast<std::size_t>(1 + s)][0]);
  for (int c = 0; c < attrs.carries(); ++c) {
    const Variable& start = inputs[static_cast<std::size_t>(attrs.first_start() + c)];
    for (int tap : attrs.taps[static_cast<std::size_t>(c)])
      pairs.emplace_back(inner[next++], start[attrs.depth(c) + tap]);
  }
  for (std::size_t k = static_cast<std::size_t>(attrs.first_constant()); k < inputs.size(); ++k)
    pairs.emplace_back(inner[next++], inputs[k]);
  const Vars made = substitute(attrs.body->graph.outputs(), pairs);
  Vars outputs;
  for (int i = 0; i < attrs.rows(); ++i) {
    const Variable row = expand_dims(made[static_cast<std::size_t>(i)], 0);
    Variable all = row;
    if (i < attrs.carries()) {
      all = concatenate({inputs[static_cast<std::size_t>(attrs.first_start() + i)], row});
    }
    outputs.push_back(all.type().broadcastable(0) ? unbroadcast(all, {0}) : all);
  }
  if (attrs.until) outputs.push_back(constant(Array(std::int64_t{1})));
  return outputs;
}

}  // namespace hypatia
