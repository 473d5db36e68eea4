#pragma once
// Tier 0: loop nests run by precompiled block loops, with no compiler at all.

#include <span>

#include "engine/plan/plan.h"

namespace hypatia {

/// Runs a nest on host memory; `addresses` are those of parameters(work), in that order.
void interpret(const KernelWork& work, std::span<void* const> addresses);

}  // namespace hypatia
