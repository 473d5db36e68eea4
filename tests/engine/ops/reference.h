#pragma once
// Values of expressions by the ops' reference evaluations alone: no rewrites, plans or kernels.

#include <unordered_map>

#include "engine/expr/infer.h"
#include "engine/graph/graph.h"

#include "hypatia/hypatia.h"

namespace hypatia {

using Bindings = std::unordered_map<Variable, Array, VariableHash>;

/// The value of `root` where inputs have the values bound.
inline Array reference_value(const Variable& root, Bindings values) {
  for (const Variable& leaf : leaves_of(Vars{root})) {
    if (const Array* constant = constant_value(leaf)) values.emplace(leaf, *constant);
  }
  for (const Apply* node : topological_order(Vars{root})) {
    std::vector<Array> in;
    std::vector<const Array*> pointers;
    Types types;
    for (const Variable& v : node->inputs()) {
      in.push_back(values.at(v));
      types.push_back(v.type().with_dims(in.back().dims()));
    }
    for (const Array& a : in)
      pointers.push_back(&a);
    const TypeCall call{node->op(), node->attrs(), types, pointers};
    const Types out = infer_types(call, node->inputs(), node->origin());
    const std::vector<Array> results = node->op().eval({node->op(), node->attrs(), in, out});
    for (std::size_t i = 0; i < results.size(); ++i) {
      values.emplace(Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i)), results[i]);
    }
  }
  return values.at(root);
}

}  // namespace hypatia
