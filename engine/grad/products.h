#pragma once
// Products with Jacobians that are never built: vectors from the left, and from the right.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"
#include "engine/grad/grad.h"

namespace hypatia {

/// v·J: the gradient of (f·v).sum() by wrt. f, wrt and eval_points may each be a list; a point for
/// each f.
Variable Lop(
    const Variable& f,
    const Variable& wrt,
    const Variable& eval_point,
    const GradOptions& options = {},
    Origin at = Origin::here());
Vars Lop(
    const Vars& f,
    const Vars& wrt,
    const Vars& eval_points,
    const GradOptions& options = {},
    Origin at = Origin::here());

/// J·v: how f moves when wrt moves by v; a point for each of wrt. Throws Error where f does not
/// depend on any of wrt, or an op is not differentiable.
Variable Rop(const Variable& f, const Variable& wrt, const Variable& v, Origin at = Origin::here());
Vars Rop(const Vars& f, const Vars& wrt, const Vars& v, Origin at = Origin::here());

/// Gradients of a part of a graph, for chaining: `end` has the gradients `end_gradients`; answers
/// those by `wrt`.
Vars subgraph_grad(
    const Vars& wrt,
    const Vars& end,
    const Vars& end_gradients,
    const GradOptions& options = {},
    Origin at = Origin::here());

}  // namespace hypatia
