#pragma once
// Runs a whole launch now, its blocks spread over the host's threads.

#include "engine/device/sim/abi.h"
#include "engine/device/sim/block.h"
#include "engine/device/sim/module.h"

namespace hypatia::sim {

/// Runs every block; returns the first fault in the order of blocks that was met.
Fault execute(const SimKernel& kernel, const Shape& shape, void* const* arguments);

}  // namespace hypatia::sim
