#pragma once
// Derivatives of a loop: another loop.

#include "engine/expr/op.h"

namespace hypatia {

/// The loop from the last step to the first, carrying what each step's results are worth.
Vars scan_pullback(const Adjoint& adjoint);
/// The same loop with the tangents beside the values.
Vars scan_pushforward(const Tangent& tangent);

}  // namespace hypatia
