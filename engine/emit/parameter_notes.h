#pragma once
// Which of the user's variables a kernel's parameters are.

#include <string>

#include "engine/device/kernel.h"
#include "engine/plan/plan.h"

namespace hypatia {

/// "/* in0 is y, in1 is b, in2 is the result of CGemv{no_inplace}; out0 is output 1. */"
std::string parameter_notes(
    const Plan& plan, const Graph& graph, const KernelWork& work, Dialect dialect);

}  // namespace hypatia
