#include "engine/rewrite/text.h"

#include "engine/expr/leaves.h"
#include "engine/expr/op.h"

namespace hypatia {

namespace {

std::string leaf_text(const Variable& v) {
  if (const Array* value = constant_value(v)) {
    return value->elements() == 1 ? to_text(value->reshape({}))
                                  : "constant" + to_text(value->dims());
  }
  return v.name().empty() ? "<" + to_text(v.type()) + ">" : v.name();
}

}  // namespace

std::string short_text(const Variable& v, int depth) {
  const Apply& node = v.node();
  if (is_leaf(node)) return leaf_text(v);
  if (depth == 0) return "…";
  if (node.op().is_scalar() && node.op().scalar().infix && node.inputs().size() == 2) {
    return "(" + short_text(node.input(0), depth - 1) + " " +
           std::string(node.op().scalar().text.substr(4, 1)) + " " +
           short_text(node.input(1), depth - 1) + ")";
  }
  std::string text(node.op().name);
  text += "(";
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    text += (i ? ", " : "") + short_text(node.inputs()[i], depth - 1);
  }
  return text + ")";
}

}  // namespace hypatia
