#pragma once
// The observer that makes a recording: hears the executor and the devices, and writes a .hyp file
// from one thread of low priority while the program runs on.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/observer.h"

#include "profiler/record/recording.h"

namespace hypatia {

/// Which calls are recorded: `wait` are skipped, `warm_up` run with tracing on but unrecorded,
/// `active` are recorded; then again, `repeat` times (0: for ever). All zero: every call.
struct Schedule {
  std::uint32_t wait = 0, warm_up = 0, active = 0, repeat = 0;

  /// True if the call with this number (from 1) is recorded.
  bool records(std::uint32_t call) const;

  bool records_all() const { return wait == 0 && warm_up == 0 && repeat == 0; }
};

struct RecorderOptions {
  Schedule schedule{};
  std::uint32_t last_calls = 0;     // keep only this many of the latest calls; 0: all
  bool ignore_first_calls = false;  // of each function: they compile
  bool split = false;               // run merged kernels node by node and measure each
  bool devices = true;              // attach to CUPTI when a cuda device is used
  std::string roofs = {};           // folder of a RoofStore; "": that of `hypatia doctor --roofs`
  std::size_t most_waiting_events = std::size_t{8} << 20;  // not yet written; more are dropped
};

/// Records from its construction to `finish`, to the end of the program, or to its destruction.
class Recorder final : public Observer {
 public:
  /// Throws Error of kind file if the file can't be written.
  explicit Recorder(const std::string& path, RecorderOptions options = {});
  ~Recorder() override;

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Nothing is recorded between stop and start.
  void stop();
  void start();

  /// Writes what waits, so that a reader sees everything up to now.
  void flush();
  /// Ends the recording and closes the file; what comes after is ignored. Never throws: what went
  /// wrong is in messages().
  void finish() noexcept;

  /// What the recording can't say for itself: a full disk, missing libraries.
  std::vector<std::string> messages() const;

  const std::string& path() const;

  /// For the recording's honesty panel: measured time with profiling over time without.
  void set_slowdown(double ratio);

  std::uint32_t add_function(const FunctionRecord& function) override;
  std::uint32_t add_plan(const PlanRecord& plan) override;
  std::uint16_t add_lane(const LaneRecord& lane) override;
  std::uint32_t add_detail(const DetailRecord& detail) override;
  void add_passes(std::span<const PassStory> passes) override;
  std::uint32_t begin_call(std::uint32_t function) override;
  void end_call(std::uint32_t function, std::uint32_t call, std::int64_t begin) override;
  void begin_step(std::uint32_t call, std::uint32_t step) override;
  void end_step(std::uint32_t call, std::uint32_t step, std::int64_t begin) override;
  bool follows_replays() const override;
  void begin_captured(std::uint32_t call, std::uint32_t step) override;
  void end_captured() override;
  void on(const Event& event) override;
  void on(const Activity& activity) override;
  bool wants_split() const override;

  struct State;

 private:
  friend class Annotation;
  std::unique_ptr<State> state_;
};

/// Recorders that are not finished yet, in this process.
int recordings_under_way();

/// A range that the user's program marks: from construction to the end of its scope.
class Annotation {
 public:
  Annotation(Recorder& recorder, std::string_view name);
  ~Annotation();

  Annotation(const Annotation&) = delete;
  Annotation& operator=(const Annotation&) = delete;

 private:
  Recorder& recorder_;
  std::uint32_t detail_;
  std::int64_t begin_;
};

}  // namespace hypatia
