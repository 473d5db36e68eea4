#pragma once
// What a recording says of the program and the machine that it ran on.

#include "profiler/record/recording.h"

namespace hypatia {

/// Program, command line, exercise and role (HYPATIA_EXERCISE, HYPATIA_ROLE), machine, processor,
/// flags, start, clock anchors.
RecordingHeader describe_environment();

/// Nanoseconds of CPU time that the calling thread has used.
std::int64_t thread_cpu_time();

/// Pairs now() with CLOCK_REALTIME: of many readings the one with the narrowest bracket.
struct ClockAnchor {
  std::int64_t monotonic = 0, realtime = 0;
  std::int64_t bracket = 0;  // nanoseconds between the two readings around it
};

ClockAnchor anchor_clocks();

}  // namespace hypatia
