#pragma once
// The same expressions for many values at once: a new first axis through every op.

#include <utility>
#include <vector>

#include "engine/expr/op.h"

namespace hypatia {

/// Expressions with some variables replaced by ones with a further first axis, which runs through
/// all that depends on them; what does not is stretched. No variables if an op can't take the axis.
Vars vectorize(const Vars& outputs, const std::vector<std::pair<Variable, Variable>>& batched);

}  // namespace hypatia
