#pragma once
// The part of exercises/runner/roofs.h for GPUs, which CUDA C and the device's own clock measure.

#include "exercises/runner/roofs.h"

namespace hypatia::runner {

void measure_gpu_roofs(Device& device, const RoofWork& work, Limits& limits);

}  // namespace hypatia::runner
