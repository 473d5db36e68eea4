#pragma once
// What a device is and what it can do at most: the ceilings of the roofline and the model of sim.

#include <cstdint>
#include <string>

namespace hypatia {

/// Ceilings and latencies. Rates are per second, times in seconds, 0 means unknown.
struct Limits {
  double f32_flops = 0, f64_flops = 0;
  double memory_bandwidth = 0;    // device memory, bytes read plus written
  double cache_bandwidth = 0;     // last-level cache
  double copy_in_bandwidth = 0;   // pinned host to device
  double copy_out_bandwidth = 0;  // device to pinned host
  double pageable_bandwidth = 0;  // from or to pageable memory, the host's part too
  double launch_latency = 0;      // host time to submit one kernel
  double kernel_latency = 0;      // least device time of a kernel
  double copy_latency = 0;
  double graph_node_latency = 0;  // device time between nodes of a replayed graph
  double sync_latency = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;
  std::int64_t shared_per_block = 0;
  std::int32_t multiprocessors = 0;
  std::int32_t max_threads_per_block = 1024;
  std::int32_t max_threads_per_multiprocessor = 2048;
  std::int32_t warp = 32;
};

/// One device, as start-up lines, `doctor` and recordings name it.
struct DeviceInfo {
  std::string name;    // "cpu", "cuda0", "sim0"
  std::string model;   // "NVIDIA H100 80GB HBM3", "h100-sxm (simulated)"
  std::string driver;  // "CUDA 13.0, driver 580.95", empty on cpu
  bool simulated = false;
  std::int32_t capability_major = 0, capability_minor = 0;
  Limits limits;
};

}  // namespace hypatia
