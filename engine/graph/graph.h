#pragma once
// Graph: a closed program. Inputs, outputs and updates, with the order in which nodes can run.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/function_ref.h"
#include "engine/expr/op.h"
#include "engine/expr/variable.h"
#include "engine/graph/update.h"

namespace hypatia {

/// What a rewrite puts in a node's place: a variable for each output, or nothing to keep the node.
using Replacement = Vars;

/// An immutable program. Copying shares the nodes.
class Graph {
 public:
  Graph() = default;
  /// Orders every application that outputs and updates need, operands first.
  Graph(Vars inputs, Vars outputs, std::vector<Update> updates = {});

  const Vars& inputs() const { return inputs_; }

  const Vars& outputs() const { return outputs_; }

  const std::vector<Update>& updates() const { return updates_; }

  /// Applications in an order in which they can run; leaves are not among them.
  const std::vector<const Apply*>& order() const { return order_; }

  /// Position in order(), or -1 for leaves and strangers.
  int position(const Apply* node) const;

  int size() const { return static_cast<int>(order_.size()); }

  /// How often a variable is read by nodes, outputs and updates.
  int uses(const Variable& v) const;

  /// Shared variables read or updated, in order of first sight.
  const Vars& shared() const { return shared_; }

  /// A graph in which each node, its operands rebuilt first, is replaced by what `replace` gives
  /// for it (a variable for each output), or kept where that is empty. `replace` sees the node
  /// with its new operands, and the old node.
  Graph rebuild(FunctionRef<Replacement(const Apply& rebuilt, const Apply& old)> replace) const;

 private:
  void sort();

  Vars inputs_, outputs_;
  std::vector<Update> updates_;
  std::vector<const Apply*> order_;
  std::unordered_map<const Apply*, int> position_;
  std::unordered_map<Variable, int, VariableHash> uses_;
  Vars shared_;
};

/// Applications that `roots` need, operands first, leaves left out. Iterative.
std::vector<const Apply*> topological_order(std::span<const Variable> roots);
/// The leaves that `roots` need, in order of first sight.
Vars leaves_of(std::span<const Variable> roots);
/// Expressions with some variables replaced by others, rebuilt where needed.
Vars substitute(
    std::span<const Variable> roots, std::span<const std::pair<Variable, Variable>> pairs);
/// An application like `node` on other operands; itself if they are the same.
Ref<const Apply> with_inputs(const Apply& node, Vars inputs);

}  // namespace hypatia
