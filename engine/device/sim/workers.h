#pragma once
// A few host threads that share out the blocks of a launch.

#include <cstdint>

namespace hypatia::sim {

/// Calls `work(context, first, last)` on ranges that cover [0, count), from several threads at once
/// if there is more than one `grain` of it. Returns when all is done. One caller at a time.
void share_out(
    std::uint64_t count,
    std::uint64_t grain,
    void (*work)(void* context, std::uint64_t first, std::uint64_t last),
    void* context);

}  // namespace hypatia::sim
