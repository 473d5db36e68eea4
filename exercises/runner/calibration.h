#pragma once
// How near the simulated card's model comes to a GPU: two recordings of the same program, one
// modelled and one measured, compared kernel by kernel and copy by copy.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/record/recording.h"

namespace hypatia::runner {

/// One kernel or copy of a function's step; seconds are medians over its calls.
struct CalibratedWork {
  std::string exercise, function, step, shapes;
  std::string kind;  // "kernel", "copy_in", …
  std::int64_t calls = 0;
  double modelled = 0, measured = 0;

  /// Of the measured time; 0.25 is 25 %, either way.
  double error() const;
};

/// Work of both recordings, paired by function, step and sizes. What only one of them has is named
/// in `alone`.
std::vector<CalibratedWork> calibrate(
    const std::string& exercise,
    const Recording& modelled,
    const Recording& measured,
    std::vector<std::string>& alone);

/// Of the errors; 0 of none.
double median_error(std::span<const CalibratedWork> works);

/// Pairs of functions of one exercise of which the model says that the slower one is faster, as
/// sentences. Times on the device that are within a tenth of each other count as equal.
std::vector<std::string> wrong_rankings(std::span<const CalibratedWork> works);

}  // namespace hypatia::runner
