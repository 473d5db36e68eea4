#pragma once
// When a device had nothing to do, and what the host did meanwhile.

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/record/recording.h"

namespace hypatia {

enum class GapCause : std::uint8_t {
  host_busy,       // the host worked in a step
  sync,            // the host waited, then had to prepare the next work
  launch_latency,  // work was submitted, and had not begun yet
  compile,         // the host compiled or loaded a module
  between_calls,   // the program did something else
  nothing_queued,  // inside a call, but in none of its steps
};

const char* name(GapCause cause);

struct Gap {
  std::int64_t begin = 0, end = 0;
  std::string device;
  GapCause cause = GapCause::nothing_queued;
  std::uint32_t step = 0;  // the host's step meanwhile, or the one that ended the gap; 0: none
};

/// A device's gaps between its first and its last work, longest first. Gaps shorter than `least`
/// nanoseconds are left out.
std::vector<Gap> find_gaps(
    const Recording& recording, std::int64_t least = 1000, std::size_t most = 1000);

/// Busy time of a device between its first and its last work.
struct Occupation {
  std::string device;
  std::int64_t begin = 0, end = 0;
  std::int64_t busy = 0;  // at least one kernel or copy ran
};

std::vector<Occupation> device_occupation(const Recording& recording);

}  // namespace hypatia
