#pragma once
// What becomes known once a call's sizes are: every type with its sizes, and the values of all
// that depends on sizes alone.

#include <unordered_map>

#include "engine/graph/graph.h"

namespace hypatia {

/// Types and known values of a graph's variables for one set of input sizes.
class Concrete {
 public:
  /// `leaf_types` gives each input and shared variable its sizes. Throws Error, with the user's
  /// operands and line, where sizes don't fit.
  /// `sized` gives the outputs of nodes whose sizes depend on data, and `values` what is known of
  /// the call at hand.
  Concrete(
      const Graph& graph,
      const std::unordered_map<Variable, Type, VariableHash>& leaf_types,
      const std::unordered_map<Variable, Type, VariableHash>& sized = {},
      const std::unordered_map<Variable, Array, VariableHash>& values = {});

  const Type& type(const Variable& v) const;
  /// The value if it is known before the call runs, else null.
  const Array* value(const Variable& v) const;
  /// True if every output of the node is known.
  bool known(const Apply& node) const;

 private:
  void add_leaves(const Graph& graph);
  void add_node(const Apply& node);
  void evaluate(const Apply& node, const Types& in, const std::vector<const Array*>& values);

  std::unordered_map<Variable, Type, VariableHash> types_;
  std::unordered_map<Variable, Array, VariableHash> values_;
};

}  // namespace hypatia
