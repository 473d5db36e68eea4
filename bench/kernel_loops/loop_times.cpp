#include "bench/kernel_loops/loop_times.h"

#include <algorithm>

namespace hypatia::kernel_loops {

namespace {

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double period_of(std::vector<double> longer, std::vector<double> shorter, int more) {
  return (median(longer) - median(shorter)) / more;
}

StampedTimes stamped_times(const std::vector<std::vector<Stamp>>& loops) {
  StampedTimes times;
  std::vector<double> durations;
  double steps = 0, between_starts = 0, running = 0;
  for (const std::vector<Stamp>& loop : loops) {
    for (const Stamp& kernel : loop)
      durations.push_back(static_cast<double>(kernel.end - kernel.start));
    if (loop.size() < 2) continue;
    // The last kernel has no gap after it.
    for (std::size_t i = 0; i + 1 < loop.size(); ++i)
      running += static_cast<double>(loop[i].end - loop[i].start);
    between_starts += static_cast<double>(loop.back().start - loop.front().start);
    steps += static_cast<double>(loop.size() - 1);
  }
  times.kernels = durations.size();
  times.duration = median(durations);
  if (steps == 0) return times;
  times.mean_duration = running / steps;
  times.period = between_starts / steps;
  times.gap = times.period - times.mean_duration;
  return times;
}

}  // namespace hypatia::kernel_loops
