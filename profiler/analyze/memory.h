#pragma once
// Memory of a plan over its steps, from its buffers: live bytes, the peak and who is alive there,
// and what the peak would be under other choices.

#include <cstdint>
#include <vector>

#include "profiler/record/recording.h"

namespace hypatia {

struct LiveBytes {
  std::int64_t host = 0, device = 0;

  std::int64_t total() const { return host + device; }
};

struct MemoryAnalysis {
  std::vector<LiveBytes> live;       // during each step
  std::int32_t peak_step = 0;        // position of the step with the most live bytes
  std::vector<std::size_t> at_peak;  // positions in PlanRecord::buffers, largest first
  LiveBytes peak;                    // as it runs: views and work in place take nothing
  LiveBytes reserved;                // what the plan's slots hold for the whole call
  LiveBytes without_inplace;         // if work in place made copies
  LiveBytes without_gc;              // if nothing were freed during the call
  std::int64_t best_order = 0;       // least peak over the valid orders of the steps
  bool best_is_exact = true;         // false: found step by step, for plans of over 16 steps
};

/// Live bytes during each step of a plan, as it runs.
std::vector<LiveBytes> live_bytes(const PlanRecord& plan);

MemoryAnalysis analyze_memory(const Recording& recording, const PlanRecord& plan);

}  // namespace hypatia
