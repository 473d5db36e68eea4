#include "engine/grad/products.h"

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/expr/watch.h"
#include "engine/grad/reverse.h"
#include "engine/graph/graph.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

using Tangents = std::unordered_map<Variable, Variable, VariableHash>;

void check_points(const Vars& variables, const Vars& points, const std::string& what) {
  if (variables.size() != points.size()) {
    throw Error(
        Error::Kind::graph,
        what + " takes a point for each variable: " + std::to_string(variables.size()) +
            " variables and " + std::to_string(points.size()) + " points came");
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (variables[i].ndim() == points[i].ndim()) continue;
    throw Error(Error::Kind::shape, what + ": a point must have the axes of its variable")
        .with(describe(variables[i], variables[i].type(), "variable"))
        .with(describe(points[i], points[i].type(), "point"));
  }
}

Variable sum_of(const Variable& a, const Variable& b) {
  return a && b ? a + b : a ? a : b;
}

/// Output i moves only with the same element of each input, so that the adjoint is its own
/// transpose.
Variable push_elementwise(const Apply& node, const Variable& out, const Vars& in_dot) {
  Variable total;
  for (std::size_t i = 0; i < in_dot.size(); ++i) {
    if (!in_dot[i]) continue;
    const Vars share = node.op().pullback({node, node.inputs(), {out}, {in_dot[i]}});
    total = sum_of(total, share[i]);
  }
  return total;
}

/// J·v by transposing the pullback, which is linear in its adjoint.
Vars push_by_transpose(const Apply& node, const Vars& out, const Vars& in_dot) {
  Vars adjoints;
  for (const Variable& v : out)
    adjoints.push_back(is_float(v.dtype()) ? stand_in(v) : Variable());
  const Vars pulled = node.op().pullback({node, node.inputs(), out, adjoints});
  ReverseSweep::Seeds seeds;
  for (std::size_t i = 0; i < pulled.size(); ++i) {
    if (pulled[i] && in_dot[i]) {
      seeds.emplace_back(fit_gradient(pulled[i], node.inputs()[i]), in_dot[i]);
    }
  }
  Vars wrt, results;
  std::vector<std::pair<Variable, Variable>> stand_ins;
  for (std::size_t i = 0; i < adjoints.size(); ++i) {
    if (!adjoints[i]) continue;
    wrt.push_back(adjoints[i]);
    stand_ins.emplace_back(adjoints[i], out[i]);
  }
  const ReverseSweep sweep(seeds, wrt, {});
  for (const Variable& adjoint : adjoints) {
    const Bar bar = adjoint ? sweep.bar(adjoint) : Bar{};
    // Where the adjoint itself is left, only its shape matters: the output has the same.
    results.push_back(
        bar.state == Bar::State::value ? substitute(Vars{bar.value}, stand_ins)[0] : Variable());
  }
  return results;
}

Vars push(const Apply& node, const Vars& in_dot) {
  Vars out;
  const Ref<const Apply> ref(&node);
  for (int i = 0; i < node.outputs(); ++i)
    out.emplace_back(ref, static_cast<std::uint32_t>(i));
  if (node.op().pushforward) return node.op().pushforward({node, node.inputs(), out, in_dot});
  if (!node.op().pullback) {
    bool moves = false;
    for (const Type& t : node.types())
      moves |= is_float(t.dtype());
    if (!moves) return Vars(out.size());
    throw Error(
        Error::Kind::graph, "Rop: " + print_name(node) + " has no derivative", "cut it out of f")
        .at(node.origin());
  }
  if (node.op().is_scalar()) return {push_elementwise(node, out[0], in_dot)};
  return push_by_transpose(node, out, in_dot);
}

void push_node(const Apply& node, Tangents* tangents) {
  Vars in_dot;
  bool moves = false;
  for (const Variable& v : node.inputs()) {
    const auto found = tangents->find(v);
    in_dot.push_back(found == tangents->end() ? Variable() : found->second);
    moves |= static_cast<bool>(in_dot.back());
  }
  if (!moves) return;
  const OriginScope scope(node.origin());
  const Vars out_dot = push(node, in_dot);
  const Ref<const Apply> ref(&node);
  for (std::size_t i = 0; i < out_dot.size(); ++i) {
    const Variable out(ref, static_cast<std::uint32_t>(i));
    // An intermediate that is itself one of wrt moves as it was told to.
    if (out_dot[i] && is_float(out.dtype())) tangents->emplace(out, fit_gradient(out_dot[i], out));
  }
}

}  // namespace

Vars Rop(const Vars& f, const Vars& wrt, const Vars& v, Origin at) {
  try {
    check_points(wrt, v, "Rop");
    Tangents tangents;
    for (std::size_t i = 0; i < wrt.size(); ++i) {
      if (is_float(wrt[i].dtype())) tangents.emplace(wrt[i], cast(v[i], wrt[i].dtype()));
    }
    for (const Apply* node : topological_order(f))
      push_node(*node, &tangents);
    Vars result;
    for (const Variable& y : f) {
      const auto found = tangents.find(y);
      if (found == tangents.end()) {
        throw Error(
            Error::Kind::graph,
            "Rop: f does not depend on any of wrt, or only through ops without a gradient")
            .with(describe(y, y.type(), "f"));
      }
      result.push_back(found->second);
    }
    return result;
  } catch (Error& error) {
    error.at(at);
    throw;
  }
}

Variable Rop(const Variable& f, const Variable& wrt, const Variable& v, Origin at) {
  return Rop(Vars{f}, Vars{wrt}, Vars{v}, at)[0];
}

Vars subgraph_grad(
    const Vars& wrt,
    const Vars& end,
    const Vars& end_gradients,
    const GradOptions& options,
    Origin at) {
  try {
    check_points(end, end_gradients, "subgraph_grad");
  } catch (Error& error) {
    error.at(at);
    throw;
  }
  GradOptions all = options;
  for (std::size_t i = 0; i < end.size(); ++i)
    all.known_grads.emplace_back(end[i], end_gradients[i]);
  return grad(Variable(), wrt, all, at);
}

Vars Lop(
    const Vars& f,
    const Vars& wrt,
    const Vars& eval_points,
    const GradOptions& options,
    Origin at) {
  return subgraph_grad(wrt, f, eval_points, options, at);
}

Variable Lop(
    const Variable& f,
    const Variable& wrt,
    const Variable& eval_point,
    const GradOptions& options,
    Origin at) {
  return Lop(Vars{f}, Vars{wrt}, Vars{eval_point}, options, at)[0];
}

}  // namespace hypatia
