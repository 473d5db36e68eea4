#pragma once
// Data sheets: what the model of a card is made of. docs/reference/simulator.md has the sources and
// says how to add one.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/device/limits.h"

namespace hypatia::sim {

/// Measured rates at sizes: bytes and bytes per second, by growing size.
using RateTable = std::vector<std::pair<double, double>>;

/// One card. Times are seconds, rates per second.
struct Sheet {
  std::string name;  // "h100-sxm"
  std::string card;  // "NVIDIA H100 SXM5 80GB"
  std::int32_t capability_major = 0, capability_minor = 0;
  Limits limits;
  double launch_interval = 0;   // least time between the starts of two launches of one stream
  double kernel_gap = 0;        // between dependent kernels of one stream
  double memory_latency = 0;    // of one load that misses the first-level cache
  double bytes_in_flight = 32;  // that a thread has asked for at a time
  double graph_launch = 0;      // host time to submit a captured sequence
  double copy_submit = 0;       // host time to submit a copy
  double engine_switch = 0;     // from a kernel's end to a dependent copy, and back
  double copy_out_latency = 0;  // least time of a device-to-host copy; limits has the other way's
  double allocate_time = 0;     // host time to take memory from the pool
  double product_latency = 0;   // least device time of a library's matrix product
  double vector_product_latency = 0;  // of its product of a matrix and a vector
  double f64_product_flops = 0;       // peak of its products of doubles, if above f64_flops
  double product_submit = 0;          // host time of its call
  double product_share = 0.62;        // of the peak that a large product reaches
  RateTable pageable_in, pageable_out;
};

/// The sheets that are built in.
const std::vector<Sheet>& sheets();

/// A built-in sheet by name ("" is h100-sxm), or one read from a JSON file, if the name ends in
/// .json. Throws Error of kind config that lists the names, or says what is wrong in the file.
Sheet find_sheet(std::string_view name);

}  // namespace hypatia::sim
