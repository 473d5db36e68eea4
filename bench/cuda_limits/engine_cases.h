#pragma once
// How cases time a compiled function.

#include <hypatia/hypatia.h>
#include <string>

#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

/// Calls that follow each other; the last result is waited for.
Case looped(const std::string& name, int repeats, Function f, double reference = 0);

}  // namespace hypatia::limits
