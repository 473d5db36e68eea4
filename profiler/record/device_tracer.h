#pragma once
// The seam between the recorder and what reads a real device's own records (CUPTI).

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/trace/records.h"

namespace hypatia {

/// What a device's records turned out to lack.
struct DeviceCounts {
  std::atomic<std::int64_t> lost{0}, without_time{0}, unordered{0}, unattributed{0};
  std::atomic<std::int64_t> disagreements{0}, clock_error{0};
};

/// What work of no step is called: "copy in of shared variable w".
DetailRecord owned_detail(DetailRecord detail, const std::string& owner);

/// Takes what a tracer found; called on the recorder's writer thread.
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  /// A lane; `id` is a stream, a thread of a lane of driver calls, or 0.
  virtual std::uint16_t lane(
      LaneRecord::Kind kind, const std::string& device, std::uint64_t id) = 0;
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

  /// True if work of a captured graph is told apart by the steps that it was captured in.
  virtual bool follows_graphs() const = 0;
  /// Work that this thread captures from here to `pop_captured` belongs to the step.
  virtual void push_captured(std::uint32_t call, std::uint32_t step) = 0;
  virtual void pop_captured() = 0;

  /// Work that this thread submits from here to `pop` is no step's but `owner`'s. Nothing, and
  /// false, inside of a step.
  virtual bool own(const std::string& owner) = 0;

  /// Tells of the steps that the executor reported, by thread of the system.
  virtual void add_step(std::uint64_t thread, const Event& step) = 0;
  /// Hands on what has arrived. With `last`, hands on everything and ends the tracing; the device
  /// must be idle then.
  virtual void collect(DeviceSink& sink, bool last) = 0;
};

/// Attaches to this process's GPUs for one recording, until its last collect(). Null, and why in
/// `reason`, where that can't be: no library, no driver, another tool, another recording.
DeviceTracer* start_device_tracer(std::string& reason);

/// Tells this process's tracer, if it has one, whose work the calling thread submits from here to
/// disown_device_work(); false if nobody wants to know.
bool own_device_work(const std::string& owner);
void disown_device_work();

/// Subscribes before a driver's context exists, so that nothing of it is missed; `start` attaches
/// later. What hinders is told then.
void prepare_device_tracer();

}  // namespace hypatia
