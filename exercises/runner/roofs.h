#pragma once
// Measures what a device can do at most: multiply-adds a second, bytes of its memory, of its caches
// and over its link.

#include <cstdint>

#include "engine/device/device.h"

namespace hypatia::runner {

/// How much work a measurement is. The defaults take a second or two.
struct RoofWork {
  std::int64_t memory_bytes = 0;           // of each of two arrays; 0: past the caches
  std::int64_t link_bytes = 64 << 20;      // of one copy between host and device
  std::int32_t steps = 1 << 14;            // multiply-adds that follow each other
  int rounds = 5;                          // at least, and the best of them counts …
  std::int64_t nanoseconds = 200'000'000;  // … of a measurement on the host
};

/// The device's info with the measured rates in its limits: flops a second, bytes a second (read
/// plus written). What can't be measured keeps its value. Throws the device's Error.
DeviceInfo measure_roofs(Device& device, const RoofWork& work = {});

}  // namespace hypatia::runner
