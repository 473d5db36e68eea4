#pragma once
// Whole Jacobians and Hessians, all rows at once where their ops can be, else row by row.

#include "engine/expr/op.h"
#include "engine/grad/grad.h"

namespace hypatia {

/// Derivatives of a vector by wrt: entry [i, …] is the gradient of element i. A 0-d expression
/// gives its gradient. Throws Error on matrices, and as grad does.
Variable jacobian(
    const Variable& expression,
    const Variable& wrt,
    const GradOptions& options = {},
    Origin at = Origin::here());
Vars jacobian(
    const Variable& expression,
    const Vars& wrt,
    const GradOptions& options = {},
    Origin at = Origin::here());

/// Second derivatives of a 0-d cost by a vector.
Variable hessian(
    const Variable& cost,
    const Variable& wrt,
    const GradOptions& options = {},
    Origin at = Origin::here());

}  // namespace hypatia
