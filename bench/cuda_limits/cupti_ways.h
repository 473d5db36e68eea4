#pragma once
// The ways of launching that bench/cuda_limits/cupti_cost.cpp compares.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hypatia::limits {

/// Microseconds a launch, of each batch of a thousand: until all are done, and until all are
/// submitted.
struct LaunchTimes {
  std::vector<double> done, submitted;
  std::int64_t launches = 0;  // all, warm-up too
  // What came of tracing; -1: none was meant to.
  std::int64_t kernels = -1;  // in the recording
  std::int64_t bytes = -1;    // of CUPTI's records
};

struct Way {
  const char* key;
  const char* name;
  const char* against;  // the key of what it is held against; "" for the first
  LaunchTimes (*run)();
};

std::span<const Way> cupti_ways();

}  // namespace hypatia::limits
