#pragma once
// Turns a kernel's crash (a bad address, a division by zero, a full stack) into a fault of its
// launch, and leaves the crashes of everything else as they were.

#include <csetjmp>

#include "engine/device/sim/block.h"

namespace hypatia::sim {

/// Runs `work(context)` on this thread; a crash inside it ends it and is returned.
/// `fibers` are those that the work may be on.
Fault guarded(void (*work)(void* context), void* context, Fibers& fibers);

}  // namespace hypatia::sim
