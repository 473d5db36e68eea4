#pragma once
// What the times of loops over one kernel say of a launch: arithmetic, without a GPU.

#include <cstdint>
#include <vector>

namespace hypatia::kernel_loops {

/// A kernel's start and end on the GPU's clock, in nanoseconds.
struct Stamp {
  std::uint64_t start = 0, end = 0;
};

/// What the stamps of loops say of a launch, in nanoseconds.
struct StampedTimes {
  double duration = 0;  // the median of end - start
  double mean_duration = 0;
  double gap = 0;  // from the mean kernel's end to the next one's start; below 0 where they overlap
  double period = 0;  // from a start to the next: mean_duration + gap
  std::size_t kernels = 0;
};

/// Nanoseconds a launch: what the longer loops take beyond the shorter ones, by the medians, over
/// the `more` launches that they have more. What begins and ends a loop falls out.
double period_of(std::vector<double> longer, std::vector<double> shorter, int more);

/// Of loops whose stamps are in order of their starts. Loops of one kernel have no gap.
StampedTimes stamped_times(const std::vector<std::vector<Stamp>>& loops);

}  // namespace hypatia::kernel_loops
