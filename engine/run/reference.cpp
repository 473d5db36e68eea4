#include "engine/run/reference.h"

#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"

namespace hypatia {

std::vector<Array> reference_outputs(const Apply& node, const Values& values) {
  std::vector<Array> in;
  Types types;
  in.reserve(node.inputs().size());
  for (const Variable& v : node.inputs()) {
    const Array* constant = constant_value(v);
    in.push_back(constant ? *constant : values.at(v));
    types.push_back(v.type().with_dims(in.back().dims()));
  }
  std::vector<const Array*> pointers;
  for (const Array& a : in)
    pointers.push_back(&a);
  const TypeCall call{node.op(), node.attrs(), types, pointers};
  const Types out = infer_types(call, node.inputs(), node.origin());
  return evaluated(node, in, out);
}

Values reference_values(const Graph& graph, Values leaves) {
  Values values = std::move(leaves);
  for (const Apply* node : graph.order()) {
    const std::vector<Array> results = reference_outputs(*node, values);
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = results[i];
    }
  }
  return values;
}

}  // namespace hypatia
