#pragma once
// verify_grad(): a gradient compared with finite differences.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/array.h"
#include "engine/core/function_ref.h"
#include "engine/expr/variable.h"

namespace hypatia {

struct VerifyGradOptions {
  /// Of the random projection of the result to a number.
  std::uint32_t seed = 22;
  /// Step of the central differences.
  double step = 1e-5;
  /// Largest difference, absolute or relative to the larger of the two.
  double tolerance = 1e-4;
};

/// Builds the function at inputs like the points (float32 and float64 arrays; axes of size 1 are
/// broadcastable), projects its result to a number with random weights, and compares each entry of
/// the gradient with central differences. Throws Error that names the entry that is most off.
void verify_grad(
    FunctionRef<Variable(const Vars& inputs)> build,
    const std::vector<Array>& points,
    const VerifyGradOptions& options = {});

}  // namespace hypatia
