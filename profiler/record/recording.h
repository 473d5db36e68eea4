#pragma once
// A recording as everybody reads it: what ran (functions, nodes, plans, steps) and when (events by
// lane), immutable once opened. Reports and the GUI see nothing else.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/limits.h"
#include "engine/trace/event.h"
#include "engine/trace/records.h"
#include "engine/trace/rewrites.h"

namespace hypatia {

/// How and where a recording was made, and what it does not know.
struct RecordingHeader {
  int version = 1;            // of the file's schema
  std::string suite_version;  // of Hypatia
  std::string program;        // "exercise_01_exp_test"
  std::string command_line;
  std::string exercise;   // "01_exp_test", or empty
  std::string role;       // "student", "solution", or empty
  std::string machine;    // host name
  std::string processor;  // "AMD EPYC 9654 96-Core Processor"
  int cores = 0;          // in this process's affinity mask
  std::string flags;      // "device=cuda0,floatX=float32"
  std::string started;    // ISO 8601, UTC
  std::int64_t process = 0;
  std::vector<DeviceInfo> devices;

  std::int64_t monotonic_anchor = 0;  // now() …
  std::int64_t realtime_anchor = 0;   // … and CLOCK_REALTIME at the same moment
  std::int64_t clock_error = 0;       // nanoseconds that device times may be off; 0: unknown

  double event_cost = 0;      // measured nanoseconds that recording one event takes
  double writer_seconds = 0;  // CPU time of the writer's thread
  double slowdown = 0;        // measured time with profiling over time without; 0: not measured

  std::int64_t dropped = 0;        // records that were lost: the recording shows less than ran
  std::int64_t without_time = 0;   // records that came without time stamps
  std::int64_t unordered = 0;      // device work that seems to begin before it was submitted
  std::int64_t unattributed = 0;   // device work that no node could be found for
  std::int64_t disagreements = 0;  // device work whose two ways of attribution disagree
  std::int64_t call_count = 0;     // calls that ran, also those outside the schedule's windows

  bool closed = false;                // false: the program still runs, or was killed
  bool simulated = false;             // device times are modelled, not measured
  std::vector<std::string> messages;  // "GPU lanes need libcupti; the host's part is shown."
};

/// Nanoseconds by EventKind.
using KindTimes = std::array<std::int64_t, event_kind_count>;

/// Everything that a recording holds, as plain data: what the file stores and what makes a
/// Recording. Ids count from 1 and are positions plus 1.
struct RecordingData {
  RecordingHeader header;
  std::vector<FunctionRecord> functions;
  std::vector<PlanRecord> plans;  // step ids follow the order of the plans' steps
  std::vector<LaneRecord> lanes;
  std::vector<DetailRecord> details;
  std::vector<PassStory> passes;  // function by function, in order
  std::vector<Event> events;      // in any order

  /// Keeps a string for as long as the data lives; Origin's names point here.
  const char* keep(std::string_view text);

 private:
  std::shared_ptr<class TextPool> pool_;
};

/// One apply node: a function's id and the position in FunctionRecord::nodes.
struct NodeId {
  std::uint32_t function = 0;
  std::uint32_t node = 0;
  auto operator<=>(const NodeId&) const = default;
};

/// A step of a plan, with the ids that lead to it.
struct RecordedStep {
  std::uint32_t id = 0;
  std::uint32_t plan = 0;
  std::uint32_t function = 0;
  const StepRecord* record = nullptr;
};

/// One recorded call of a function.
struct Call {
  std::int64_t begin = 0, end = 0;
  std::uint32_t number = 0;
  std::uint32_t function = 0;  // 0: unknown
  std::uint16_t lane = 0;
};

/// Events of one lane at one depth of nesting: sorted, and none overlaps another, so that a window
/// is found by binary search.
class Track {
 public:
  Track(std::uint16_t lane, int depth, std::vector<Event> events);

  /// The lane's id.
  std::uint16_t lane() const { return lane_; }

  /// 0 for events that no other of the lane encloses.
  int depth() const { return depth_; }

  std::span<const Event> events() const { return events_; }

  /// The events that overlap [begin, end), in O(log n).
  std::span<const Event> window(std::int64_t begin, std::int64_t end) const;

  /// Exact nanoseconds of each kind within [begin, end), in O(log n).
  KindTimes busy(std::int64_t begin, std::int64_t end) const;

 private:
  KindTimes before(std::size_t position) const;

  std::uint16_t lane_;
  int depth_;
  std::vector<Event> events_;
  std::vector<KindTimes> sums_;  // of all events before each 64th
};

/// An opened recording. Reading it from several threads is safe.
class Recording {
 public:
  /// Opens a .hyp file: closed, still growing (what is in it now), or left by a killed program.
  /// Throws Error of kind file if it is absent, damaged or of a newer version.
  static std::shared_ptr<const Recording> open(const std::string& path);

  /// Checks and indexes data made elsewhere; events that point nowhere are dropped and counted.
  explicit Recording(RecordingData data);

  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const RecordingHeader& header() const { return data_.header; }

  std::span<const FunctionRecord> functions() const { return data_.functions; }

  std::span<const PlanRecord> plans() const { return data_.plans; }

  std::span<const LaneRecord> lanes() const { return data_.lanes; }

  std::span<const DetailRecord> details() const { return data_.details; }

  /// Of all functions, in the order in which they ran.
  std::span<const PassStory> passes() const { return data_.passes; }

  std::span<const RecordedStep> steps() const { return steps_; }

  /// In order of their begin.
  std::span<const Call> calls() const { return calls_; }

  /// Of all lanes, lane by lane, outermost first.
  std::span<const Track> tracks() const { return tracks_; }

  /// One lane's tracks, outermost first; `lane` counts from 1.
  std::span<const Track> tracks_of(std::uint16_t lane) const;

  /// By id, counting from 1; null for 0 or an id that is not there.
  const FunctionRecord* function(std::uint32_t id) const;
  const PlanRecord* plan(std::uint32_t id) const;
  const RecordedStep* step(std::uint32_t id) const;
  const LaneRecord* lane(std::uint32_t id) const;
  const DetailRecord* detail(std::uint32_t id) const;
  const NodeRecord* node(NodeId id) const;
  /// The recorded call with this number, or null.
  const Call* call(std::uint32_t number) const;

  /// The function that an event belongs to; 0 if none.
  std::uint32_t function_of(const Event& event) const;
  /// What to call an event: its kernel, step, function or note.
  std::string name_of(const Event& event) const;

  /// When the first event begins and the last one ends.
  std::int64_t begin() const { return begin_; }

  std::int64_t end() const { return end_; }

  std::size_t event_count() const { return event_count_; }

  /// The file it was opened from; empty for data made in memory.
  const std::string& path() const { return path_; }

  /// The plain data again, for writing, trimming and merging.
  RecordingData data() const;

 private:
  void check_records();
  void check_events();
  void index_calls();
  void build_tracks();

  RecordingData data_;  // its events are moved into the tracks
  std::vector<RecordedStep> steps_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> calls_by_number_;
  std::vector<Track> tracks_;
  std::vector<std::size_t> lane_tracks_;  // first track of each lane, and one past the last
  std::int64_t begin_ = 0, end_ = 0;
  std::size_t event_count_ = 0;
  std::string path_;
};

}  // namespace hypatia
