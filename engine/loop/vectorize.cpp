#include "engine/loop/vectorize.h"

#include <numeric>

#include "engine/core/error.h"
#include "engine/expr/origin_scope.h"
#include "engine/graph/graph.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// A value as one of a batch of broadcastable size.
Variable alone(const Variable& v) {
  return pad_left(v, v.ndim() + 1, v.node().origin());
}

class Vectorizer {
 public:
  explicit Vectorizer(const std::vector<std::pair<Variable, Variable>>& batched) {
    for (const auto& [one, many] : batched)
      many_.emplace(one, many);
  }

  /// False if the node has no form for many values.
  bool add(const Apply& node) {
    bool any = false;
    for (const Variable& v : node.inputs())
      any |= many_.contains(v);
    const Ref<const Apply> ref(&node);
    if (!any || many_.contains(Variable(ref, 0))) return true;
    const OriginScope scope(node.origin());
    const Variable many = many_of(node);
    if (many) many_.emplace(Variable(ref, 0), many);
    return static_cast<bool>(many);
  }

  Variable result(const Variable& v) const {
    const auto found = many_.find(v);
    return found == many_.end() ? alone(v) : found->second;
  }

 private:
  Variable many_of(const Apply& node) const {
    const Op& op = node.op();
    if (op.is_scalar() || op.is_composite()) return apply(op, wide_inputs(node), node.attrs());
    if (op.is_reduction()) {
      ReduceAttrs attrs = node.attrs().as<ReduceAttrs>();
      for (int& axis : attrs.axes)
        ++axis;
      return apply(op, wide_inputs(node), attrs);
    }
    if (&op == &dimshuffle_op) {
      std::vector<int> pattern{0};
      for (int axis : node.attrs().as<DimShuffleAttrs>().pattern)
        pattern.push_back(axis < 0 ? -1 : axis + 1);
      return dimshuffle(result(node.input(0)), pattern);
    }
    if (&op == &shape_i_op) {
      return alone(shape_i(result(node.input(0)), node.attrs().as<AxisAttrs>().axis + 1));
    }
    return &op == &dot_op ? many_dots(node) : Variable();
  }

  Vars wide_inputs(const Apply& node) const {
    Vars inputs;
    for (const Variable& v : node.inputs())
      inputs.push_back(result(v));
    return inputs;
  }

  Variable many_dots(const Apply& node) const {
    const Variable &a = node.input(0), &b = node.input(1);
    const bool many_a = many_.contains(a), many_b = many_.contains(b);
    if (many_a && !many_b && a.ndim() == 1) return dot(result(a), b);
    if (many_b && !many_a && b.ndim() == 1) {
      return a.ndim() == 1 ? dot(result(b), a) : dot(result(b), transpose(a));
    }
    if (many_a && !many_b) return one_below_the_other(result(a), b);
    if (many_a && many_b && a.ndim() == 1 && b.ndim() == 1) {
      return sum(result(a) * result(b), Axes{1});
    }
    // Everything else as products summed over the joined axis, which is the last but one.
    const Variable left = a.ndim() == 1 ? dimshuffle(result(a), {0, -1, 1, -1})
                                        : dimshuffle(result(a), {0, 1, 2, -1});
    const Variable right = b.ndim() == 1 ? dimshuffle(result(b), {0, -1, 1, -1})
                                         : dimshuffle(result(b), {0, -1, 1, 2});
    const Variable sums = sum(left * right, Axes{2});
    std::vector<int> kept{0};
    if (a.ndim() == 2) kept.push_back(1);
    if (b.ndim() == 2) kept.push_back(2);
    return dimshuffle(sums, kept);
  }

  /// Many matrices by the same one: their rows, below each other, in a single product.
  static Variable one_below_the_other(const Variable& many, const Variable& b) {
    const Variable count = shape_i(many, 0), rows = shape_i(many, 1);
    const Variable all = dot(reshape(many, {count * rows, shape_i(many, 2)}), b);
    return b.ndim() == 1 ? reshape(all, {count, rows}) : reshape(all, {count, rows, shape_i(b, 1)});
  }

  std::unordered_map<Variable, Variable, VariableHash> many_;
};

}  // namespace

Vars vectorize(const Vars& outputs, const std::vector<std::pair<Variable, Variable>>& batched) {
  for (const auto& [one, many] : batched) {
    if (many.ndim() == one.ndim() + 1 && many.dtype() == one.dtype()) continue;
    throw Error(Error::Kind::shape, "vectorize: a batch has one axis more than its variable")
        .with({"variable", brief(one.type()), one.name(), one.node().origin()})
        .with({"batch", brief(many.type()), many.name(), many.node().origin()});
  }
  Vectorizer vectorizer(batched);
  for (const Apply* node : topological_order(outputs)) {
    if (!vectorizer.add(*node)) return {};
  }
  Vars results;
  for (const Variable& v : outputs)
    results.push_back(vectorizer.result(v));
  return results;
}

}  // namespace hypatia
