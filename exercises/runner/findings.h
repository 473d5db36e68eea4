#pragma once
// The examinations behind `doctor`.

#include <vector>

#include "exercises/runner/machine.h"

namespace hypatia::runner {

/// Compiler, packages, BLAS, GPU driver and its libraries, GUI: each with its fix.
std::vector<Finding> examine();

}  // namespace hypatia::runner
