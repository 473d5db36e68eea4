// Periods, durations and gaps of loops from made-up stamps.
#include "bench/kernel_loops/loop_times.h"

#include <gtest/gtest.h>

namespace hypatia::kernel_loops {
namespace {

/// Kernels of `duration` with `gap` between them.
std::vector<Stamp> even_loop(std::size_t kernels, std::uint64_t duration, std::uint64_t gap) {
  std::vector<Stamp> loop;
  for (std::uint64_t start = 5000; loop.size() < kernels; start += duration + gap)
    loop.push_back({start, start + duration});
  return loop;
}

TEST(LoopTimes, APeriodIsWhatMoreLaunchesTake) {
  // 3 us a launch, and 40 us that begin and end a loop however long it is.
  EXPECT_DOUBLE_EQ(period_of({700e3, 700e3, 700e3}, {100e3, 100e3, 100e3}, 200), 3000);
  // A round that something disturbed does not count.
  EXPECT_DOUBLE_EQ(period_of({700e3, 9000e3, 700e3}, {100e3, 100e3, 500e3}, 200), 3000);
}

TEST(LoopTimes, DurationsAndGapsSumToThePeriod) {
  const StampedTimes times =
      stamped_times({even_loop(220, 1632, 300), even_loop(220, 1632, 308)}, 1);
  EXPECT_EQ(times.durations, std::vector{1632.0});
  EXPECT_DOUBLE_EQ(times.gaps, 304);
  EXPECT_DOUBLE_EQ(times.period, times.running + times.gaps);
  EXPECT_DOUBLE_EQ(times.period, 1936);
  EXPECT_EQ(times.stamps, 440u);
}

TEST(LoopTimes, OneLongKernelMovesTheMeanAndNotTheMedian) {
  std::vector<Stamp> loop = even_loop(11, 1000, 100);
  loop[5].end += 500;
  for (std::size_t i = 6; i < loop.size(); ++i)
    loop[i] = {loop[i].start + 500, loop[i].end + 500};
  const StampedTimes times = stamped_times({loop}, 1);
  EXPECT_EQ(times.durations, std::vector{1000.0});
  EXPECT_DOUBLE_EQ(times.running, 1050);
  EXPECT_DOUBLE_EQ(times.gaps, 100);
}

TEST(LoopTimes, TripsOfSeveralWorksHaveATimeForEach) {
  // Kernels of 100 and 30 ns, 10 ns between them, 7 ns to the next trip.
  std::vector<Stamp> loop;
  for (std::uint64_t trip = 0; trip < 5; ++trip) {
    const std::uint64_t start = 1000 + trip * 147;
    loop.push_back({start, start + 100});
    loop.push_back({start + 110, start + 140});
  }
  const StampedTimes times = stamped_times({loop, loop}, 2);
  EXPECT_EQ(times.durations, (std::vector{100.0, 30.0}));
  EXPECT_DOUBLE_EQ(times.running, 130);
  EXPECT_DOUBLE_EQ(times.gaps, 17);
  EXPECT_DOUBLE_EQ(times.period, 147);
}

TEST(LoopTimes, OverlappingKernelsHaveANegativeGap) {
  const StampedTimes times = stamped_times({{{0, 100}, {90, 190}, {180, 280}}}, 1);
  EXPECT_DOUBLE_EQ(times.gaps, -10);
  EXPECT_DOUBLE_EQ(times.period, 90);
}

TEST(LoopTimes, NothingAndSingleKernelsHaveNoPeriod) {
  EXPECT_EQ(stamped_times({}, 1).stamps, 0u);
  const StampedTimes single = stamped_times({{{10, 1010}}}, 1);
  EXPECT_EQ(single.durations, std::vector{1000.0});
  EXPECT_DOUBLE_EQ(single.period, 0);
}

}  // namespace
}  // namespace hypatia::kernel_loops
