#pragma once
// Tier 0: loop nests run by precompiled block loops, with no compiler at all.

#include <span>

#include "engine/plan/plan.h"

namespace hypatia {

/// Runs a nest on host memory; `addresses` are those of parameters(work), in that order.
void interpret(const KernelWork& work, std::span<void* const> addresses);
/// An op with text of its own, by its reference evaluation.
void interpret_own(const KernelWork& work, std::span<void* const> addresses);
/// The same for a nest with a recurrence: step by step, each as a nest of its own.
void interpret_recurrence(const KernelWork& work, std::span<void* const> addresses);

}  // namespace hypatia
