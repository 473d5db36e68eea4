#include "engine/rewrite/scan_parts.h"

#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

Ref<const Apply> with_constants_inside(const Apply& loop) {
  ScanAttrs attrs = loop.attrs().as<ScanAttrs>();
  const Graph& body = attrs.body->graph;
  Vars inner = body.inputs(), outer = loop.inputs();
  std::vector<std::pair<Variable, Variable>> pairs;
  for (int k = static_cast<int>(outer.size()); k-- > attrs.first_constant();) {
    const auto out = outer.begin() + k;
    const auto in = inner.begin() + attrs.body_constant() + k - attrs.first_constant();
    const Array* value = constant_value(*out);
    if (!value || value->elements() != 1) continue;
    pairs.emplace_back(*in, *out);
    inner.erase(in);
    outer.erase(out);
  }
  if (pairs.empty()) return Ref<const Apply>(&loop);
  attrs.body = Ref<const ScanBody>(new ScanBody(Graph(inner, substitute(body.outputs(), pairs))));
  return Apply::make(loop.op(), std::move(outer), attrs, loop.origin());
}

bool is_product(const Apply& node) {
  return &node.op() == &dot_op;
}

bool is_heavy(const Apply& node) {
  return is_product(node) || node.op().is_reduction();
}

bool counts_rows(const Variable& v, Vars* of) {
  const Apply& node = v.node();
  if (is_constant(v)) return true;
  if (&node.op() == &shape_i_op) {
    of->push_back(node.input(0));
    return node.attrs().as<AxisAttrs>().axis == 0;
  }
  if (!node.op().is_scalar() || node.type(0).rank() > 0) return false;
  return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Variable& in) {
    return counts_rows(in, of);
  });
}

const Variable& whole_of(const Variable& v) {
  const Variable* whole = &v;
  while (&whole->node().op() == &subtensor_op)
    whole = &whole->node().input(0);
  return *whole;
}

Vars vectors_of_outer(const Variable& v) {
  if (&v.node().op() != &mul_op || v.ndim() != 2) return {};
  const auto vector_in = [](const Variable& m, const std::vector<int>& pattern) {
    const bool is = &m.node().op() == &dimshuffle_op &&
                    m.node().attrs().as<DimShuffleAttrs>().pattern == pattern;
    return is ? m.node().input(0) : Variable();
  };
  for (const auto& [left, right] : {std::pair{0, 1}, {1, 0}}) {
    const Variable a = vector_in(v.node().input(left), {0, -1});
    const Variable b = vector_in(v.node().input(right), {-1, 0});
    if (a && b) return {a, b};
  }
  return {};
}

Variable summed_dots(const Variable& a, const Variable& b) {
  const auto joined = [](const Variable& v) { return shape_i(v, 0) * shape_i(v, 1); };
  const auto below = [&](const Variable& v) {  // (steps, k, m) → (steps * k, m)
    return v.ndim() == 2 ? reshape(v, {joined(v)}) : reshape(v, {joined(v), shape_i(v, 2)});
  };
  const Variable left = a.ndim() == 2 ? a : dimshuffle(a, {0, 2, 1});
  return dot(a.ndim() == 2 ? below(left) : transpose(below(left)), below(b));
}

}  // namespace hypatia
