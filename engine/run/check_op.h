#pragma once
// check_op: does an op keep what its descriptor promises? Everything that is declared is tried.

#include <string>
#include <vector>

#include "engine/expr/op.h"

namespace hypatia {

/// One promise that an op broke.
struct Broken {
  /// "type", "shape", "repeatable", "input", "strides", "commutative", "cost", "host_c", "cuda_c",
  /// "gradient" or "R_op".
  std::string promise;
  std::string text;  // what was expected, what came, and on which sample
};

struct CheckOpOptions {
  Attrs attrs = {};
  /// Gradients and R_op are compared with central differences of this step.
  double step = 1e-5;
};

/// Tries an op on samples, each a list of its inputs, and on samples of sizes 0 and 1 made from
/// them: types and shapes against the reference evaluation, that against itself on copies with
/// strides, the host C text on this machine, the CUDA C text on the simulated GPU (memory behind
/// the results must stay as it was, and so must the inputs), both also on transposed, sliced and
/// reversed inputs where the lowering is `strided`, the pullback and, once that is right, R_op
/// against differences where a sample is float64. Empty if every promise is kept. Throws Error
/// where the samples themselves don't suit the op.
std::vector<Broken> check_op(
    const Op& op,
    const std::vector<std::vector<Array>>& samples,
    const CheckOpOptions& options = {});

/// For each a few lines of at most 100 columns.
std::string to_text(const std::vector<Broken>& broken);

}  // namespace hypatia
