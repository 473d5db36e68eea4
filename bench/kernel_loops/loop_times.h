#pragma once
// What the times of loops over one kernel say of a launch: arithmetic, without a GPU.

#include <cstdint>
#include <vector>

namespace hypatia::kernel_loops {

/// A kernel's start and end on the GPU's clock, in nanoseconds.
struct Stamp {
  std::uint64_t start = 0, end = 0;
};

/// What the stamps of loops say of a trip, which runs one kernel or several pieces of work, in
/// nanoseconds. Means are over all trips but each loop's last, which no gap follows.
struct StampedTimes {
  std::vector<double> durations;  // by place in the trip: the medians of end - start
  double running = 0;             // the mean of the sum of a trip's durations
  double gaps = 0;    // of the sum of what is between one end and the next start; below 0 where
                      // work overlaps
  double period = 0;  // from a trip's start to the next one's: running + gaps
  std::size_t stamps = 0;
};

/// Nanoseconds a trip: what the longer loops take beyond the shorter ones, by the medians, over the
/// `more` trips that they have more. What begins and ends a loop falls out.
double period_of(std::vector<double> longer, std::vector<double> shorter, int more);

/// Of loops with `works` stamps a trip, in order of their starts. Loops of one trip have no period.
StampedTimes stamped_times(const std::vector<std::vector<Stamp>>& loops, std::size_t works);

}  // namespace hypatia::kernel_loops
