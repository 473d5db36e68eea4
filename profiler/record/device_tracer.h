#pragma once
// The seam between the recorder and what reads a real device's own records (CUPTI).

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/trace/records.h"

namespace hypatia {

/// What a device's records turned out to lack.
struct DeviceCounts {
  std::atomic<std::int64_t> lost{0}, without_time{0}, unordered{0}, unattributed{0};
  std::atomic<std::int64_t> disagreements{0}, clock_error{0};
};

/// Takes what a tracer found; called on the recorder's writer thread.
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  virtual std::uint16_t lane(
      LaneRecord::Kind kind,
      const std::string& device,
      std::uint64_t id,
      std::string_view name) = 0;
  virtual std::uint32_t detail(const DetailRecord& detail) = 0;
  virtual void event(const Event& event) = 0;
  virtual void message(const std::string& text) = 0;
  virtual DeviceCounts& counts() = 0;
};

/// Traces every real GPU of the process. One exists at a time.
class DeviceTracer {
 public:
  virtual ~DeviceTracer() = default;

  /// Work that this thread submits from here to `pop` belongs to the step.
  virtual void push(std::uint32_t call, std::uint32_t step) = 0;
  virtual void pop() = 0;

  /// Hands on what has arrived. With `last`, waits until everything has.
  virtual void collect(DeviceSink& sink, bool last) = 0;
};

/// The tracer of this process, started if need be; null and why not in `reason`.
DeviceTracer* start_device_tracer(std::string& reason);

}  // namespace hypatia
