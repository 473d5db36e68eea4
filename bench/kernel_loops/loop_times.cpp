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

StampedTimes stamped_times(const std::vector<std::vector<Stamp>>& loops, std::size_t works) {
  StampedTimes times;
  std::vector<std::vector<double>> durations(works);
  double trips = 0, between_starts = 0, running = 0;
  for (const std::vector<Stamp>& loop : loops) {
    times.stamps += loop.size();
    for (std::size_t i = 0; i < loop.size(); ++i)
      durations[i % works].push_back(static_cast<double>(loop[i].end - loop[i].start));
    if (loop.size() < 2 * works) continue;
    const std::size_t last = loop.size() - works;
    for (std::size_t i = 0; i < last; ++i)
      running += static_cast<double>(loop[i].end - loop[i].start);
    between_starts += static_cast<double>(loop[last].start - loop.front().start);
    trips += static_cast<double>(last / works);
  }
  for (std::vector<double>& of_place : durations)
    times.durations.push_back(median(of_place));
  if (trips == 0) return times;
  times.running = running / trips;
  times.period = between_starts / trips;
  times.gaps = times.period - times.running;
  return times;
}

}  // namespace hypatia::kernel_loops
