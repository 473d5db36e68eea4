// blas: sums with a matrix product among their terms become one gemm, scalars folded in:
// w - 0.01 (2 0.01 w + dot(x.T, g)) is gemm(w, x.T, g) with alpha -0.01 and beta 0.9998.
#include <algorithm>
#include <unordered_map>

#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

struct Term {
  double factor = 1;
  Variable value;
};

/// A product with a number: the other operand and the number.
bool scaled_by_number(const Variable& v, Variable* value, double* factor) {
  if (!is_op(v, mul_op)) return false;
  for (int i = 0; i < 2; ++i) {
    const Variable& other = v.node().input(1 - i);
    if (constant_number(v.node().input(i), factor) && other.type().same(v.type())) {
      *value = other;
      return true;
    }
  }
  return false;
}

class Sums {
 public:
  explicit Sums(const Graph& graph) : graph_(graph) {
    for (const Apply* node : graph.order()) {
      for (const Variable& v : node->inputs())
        users_[v].push_back(node);
    }
  }

  /// True of a node of a sum that no larger sum takes in.
  bool is_root(const Variable& v) const {
    if (!in_sum(v)) return false;
    const auto users = users_.find(v);
    if (users == users_.end() || graph_.uses(v) != 1) return true;
    return !in_sum(Variable(Ref<const Apply>(users->second[0]), 0));
  }

  /// The terms of a sum; nodes that others read too stay whole.
  std::vector<Term> terms(const Variable& root) const {
    std::vector<Term> terms, open{{1, root}};
    while (!open.empty()) {
      const Term at = open.back();
      open.pop_back();
      const Variable& v = at.value;
      const bool splits = in_sum(v) && (v == root || graph_.uses(v) == 1);
      Variable value;
      double factor = 1;
      if (!splits || !v.type().same(root.type())) {
        add(&terms, at);
      } else if (is_op(v, neg_op)) {
        open.push_back({-at.factor, v.node().input(0)});
      } else if (scaled_by_number(v, &value, &factor)) {
        open.push_back({at.factor * factor, value});
      } else {
        open.push_back({is_op(v, sub_op) ? -at.factor : at.factor, v.node().input(1)});
        open.push_back({at.factor, v.node().input(0)});
      }
    }
    return terms;
  }

  /// A product that only the sum reads, of one float dtype throughout.
  bool folds(const Variable& v) const {
    return is_op(v, dot_op) && graph_.uses(v) == 1 && is_float(v.dtype()) && v.ndim() > 0 &&
           v.node().input(0).dtype() == v.dtype() && v.node().input(1).dtype() == v.dtype();
  }

 private:
  static bool in_sum(const Variable& v) {
    Variable value;
    double factor = 1;
    return is_op(v, add_op) || is_op(v, sub_op) || is_op(v, neg_op) ||
           scaled_by_number(v, &value, &factor);
  }

  static void add(std::vector<Term>* terms, const Term& term) {
    for (Term& t : *terms) {
      if (!(t.value == term.value)) continue;
      t.factor += term.factor;
      return;
    }
    terms->push_back(term);
  }

  const Graph& graph_;
  std::unordered_map<Variable, std::vector<const Apply*>, VariableHash> users_;
};

/// The sum of terms as an expression.
Variable sum_of(const std::vector<Term>& terms) {
  Variable sum;
  for (const Term& t : terms) {
    Variable value = t.value;
    if (t.factor != 1) {
      value = value * constant(Array(t.factor).astype(value.dtype()), value.node().origin());
    }
    sum = sum ? sum + value : value;
  }
  return sum;
}

/// The gemm that a sum is, or no variable.
Variable as_gemm(const Sums& sums, const Variable& root) {
  std::vector<Term> terms = sums.terms(root);
  const auto product = std::find_if(terms.begin(), terms.end(), [&](const Term& t) {
    return sums.folds(t.value) && t.value.type().same(root.type());
  });
  if (product == terms.end() || terms.size() < 2) return {};
  const Term folded = *product;
  terms.erase(product);
  // What is added must have the product's shape by itself: nothing stretches inside a gemm.
  const bool whole = std::all_of(
      terms.begin(), terms.end(), [&](const Term& t) { return t.value.type().same(root.type()); });
  if (!whole) return {};
  double beta = 1;
  if (terms.size() == 1) std::swap(beta, terms[0].factor);
  const Apply& dot_node = folded.value.node();
  return gemm(sum_of(terms), dot_node.input(0), dot_node.input(1), folded.factor, beta);
}

/// One round: every sum that is a gemm, on the operands that stand now.
Graph fold_products(const Graph& graph, const PassContext& context, bool* changed) {
  const Sums sums(graph);
  std::unordered_map<const Apply*, Variable> gemms;
  for (const Apply* node : graph.order()) {
    const Variable v(Ref<const Apply>(node), 0);
    if (!sums.is_root(v)) continue;
    const OriginScope scope(node->origin());
    const Variable replacement = as_gemm(sums, v);
    if (!replacement) continue;
    gemms.emplace(node, replacement);
    if (context.log) {
      context.log->rewrites.push_back({"gemm", v, replacement, node->origin()});
    }
  }
  *changed = !gemms.empty();
  return graph.rebuild([&](const Apply&, const Apply& old) -> Replacement {
    const auto found = gemms.find(&old);
    return found == gemms.end() ? Replacement{} : Replacement{found->second};
  });
}

/// A matrix that only this product reads and that is elementwise work itself.
bool made_for(const Graph& graph, const Variable& matrix) {
  const Op& op = matrix.node().op();
  return matrix.ndim() == 2 && (op.is_scalar() || op.is_composite()) && graph.uses(matrix) == 1;
}

/// dot(f(A), v) as sum(f(A) v) over the columns, and dot(v, f(A)) over the rows: f(A) becomes part
/// of the loop and never is in memory.
Graph unfold_products(const Graph& graph, const PassContext& context) {
  return graph.rebuild([&](const Apply& node, const Apply& old) -> Replacement {
    if (&node.op() != &dot_op || !is_float(node.type(0).dtype())) return {};
    const Variable &a = node.input(0), &b = node.input(1);
    if (a.dtype() != b.dtype() || a.ndim() + b.ndim() != 3) return {};
    if (!made_for(graph, old.input(a.ndim() == 2 ? 0 : 1))) return {};
    const OriginScope scope(node.origin());
    const Variable sum_of_products = a.ndim() == 2 ? sum(a * dimshuffle(b, {-1, 0}), Axes(1))
                                                   : sum(dimshuffle(a, {0, -1}) * b, Axes(0));
    if (!sum_of_products.type().same(node.type(0))) return {};
    const Variable product(Ref<const Apply>(&node), 0);
    if (context.log) {
      context.log->rewrites.push_back(
          {"product_of_elementwise", product, sum_of_products, node.origin()});
    }
    return {sum_of_products};
  });
}

}  // namespace

Graph blas(const Graph& graph, const PassContext& context) {
  // A gemm made of a sum holds the sum's operands as they were: those below it come next round.
  constexpr int deepest = 16;
  Graph current = graph;
  bool changed = true;
  for (int i = 0; changed && i < deepest; ++i)
    current = fold_products(current, context, &changed);
  return unfold_products(current, context);
}

Graph inplace(const Graph& graph, const PassContext&) {
  return graph.rebuild([&](const Apply& node, const Apply& old) -> Replacement {
    if (&node.op() != &gemm_op) return {};
    const Variable v(Ref<const Apply>(&old), 0);
    for (const Update& u : graph.updates()) {
      if (!(u.value == v) || graph.uses(v) != 1 || !(old.input(0) == u.target)) continue;
      GemmAttrs attrs = node.attrs().as<GemmAttrs>();
      attrs.inplace = true;
      return {apply(gemm_op, node.inputs(), attrs, node.origin())};
    }
    return {};
  });
}

}  // namespace hypatia
