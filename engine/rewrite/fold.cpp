// fold: nodes whose operands are all constants are evaluated, unless the result would be large.
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

constexpr std::int64_t largest_result = 1 << 16;

bool foldable(const Apply& node) {
  if (!node.op().foldable || !node.op().eval || node.inputs().empty()) return false;
  for (const Variable& v : node.inputs()) {
    if (!is_constant(v)) return false;
  }
  for (const Type& t : node.types()) {
    if (!t.known() || elements(t.dims()) > largest_result || !t.place().on_host()) return false;
  }
  return true;
}

}  // namespace

Graph fold(const Graph& graph, const PassContext&) {
  return graph.rebuild([](const Apply& node, const Apply&) -> Replacement {
    if (!foldable(node)) return {};
    std::vector<Array> in;
    for (const Variable& v : node.inputs())
      in.push_back(*constant_value(v));
    const std::vector<Array> out = evaluated(node, in, node.types());
    Replacement values;
    for (std::size_t i = 0; i < out.size(); ++i) {
      values.push_back(constant_of_type(out[i].copy(), node.types()[i], node.origin()));
    }
    return values;
  });
}

}  // namespace hypatia
