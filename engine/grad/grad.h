#pragma once
// grad(): reverse-mode differentiation of a scalar, as another expression.

#include <string>
#include <utility>
#include <vector>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// How grad() treats special cases; every field may be left out.
struct GradOptions {
  /// Expressions through which no gradient flows.
  Vars consider_constant = {};
  /// A variable that the cost does not depend on: "raise", "warn" or "ignore"; its gradient is 0.
  std::string disconnected_inputs = "raise";
  /// Gradients that are known already, in place of what would be computed for these variables.
  std::vector<std::pair<Variable, Variable>> known_grads = {};
  /// What stands for a disconnected gradient that is not an error: "zero", or "none" for an empty
  /// variable.
  std::string return_disconnected = "zero";
  /// A gradient that an op does not define: "raise", or "return" for an empty variable.
  std::string null_gradients = "raise";
};

/// The derivative of a 0-d cost by a variable, of that variable's shape. Gradients are floats:
/// those by integers and bools are zeros of floatX. The cost may be an empty variable where
/// known_grads are given. Throws Error on other costs, and on disconnected or undefined gradients.
Variable grad(
    const Variable& cost,
    const Variable& wrt,
    const GradOptions& options = {},
    Origin at = Origin::here());
/// The derivatives by several variables, in their order, sharing their work.
Vars grad(
    const Variable& cost,
    const Vars& wrt,
    const GradOptions& options = {},
    Origin at = Origin::here());

/// Seconds that this thread spent in grad() since it was last asked.
double take_seconds_in_grad();

}  // namespace hypatia
