#pragma once
// What a recorder holds: the registered records, the queue of events, and the writer's thread.
// Private to the recorder's sources.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>
#include <unordered_map>

#include "profiler/record/device_tracer.h"
#include "profiler/record/event_queue.h"
#include "profiler/record/ranges.h"
#include "profiler/record/recorder.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/roofs.h"

namespace hypatia {

/// "cuda0 stream 7", "sim0 copies in", "main thread".
std::string lane_name(LaneRecord::Kind kind, const std::string& device, std::uint64_t id);

struct DetailHash {
  std::size_t operator()(const DetailRecord& detail) const;
};

/// Records of one kind with ids from 1; the writer takes those it has not seen.
template <typename Record>
struct Registry {
  std::deque<Record> records;
  std::size_t written = 0;

  std::uint32_t add(const Record& record) {
    records.push_back(record);
    return static_cast<std::uint32_t>(records.size());
  }

  /// The records that were added since the last time; they stay where they are.
  std::vector<const Record*> fresh() {
    std::vector<const Record*> result;
    for (; written < records.size(); ++written)
      result.push_back(&records[written]);
    return result;
  }
};

/// Where a device's activities are drawn.
struct LaneKey {
  LaneRecord::Kind kind;
  std::string device;
  std::uint64_t id;
  auto operator<=>(const LaneKey&) const = default;
};

/// The producer that a thread used last, and whose it is. What is asked at every step is inline:
/// code for shared libraries calls everything else through a table.
struct ThreadProducer {
  std::uint64_t recorder = 0;
  EventProducer* producer = nullptr;
};

inline constinit thread_local ThreadProducer thread_producer;

/// A plan on its way to the file, with the id of its first step.
struct PlacedPlan {
  PlanRecord plan;
  std::uint32_t first_step = 0;
};

struct Recorder::State {
  State(const std::string& path, RecorderOptions options);
  ~State();

  /// This thread's end of the queue.
  EventProducer& producer() {
    if (thread_producer.recorder == serial) [[likely]]
      return *thread_producer.producer;
    return add_producer();
  }

  EventProducer& add_producer();
  std::uint16_t lane_for(const LaneKey& key, const std::string& name);
  std::uint32_t detail_for(const DetailRecord& detail);

  /// True of calls of the schedule's windows that are not ignored.
  bool wants(std::uint32_t call) const {
    if (every_call && call > last_ignored.load(std::memory_order_relaxed)) [[likely]]
      return true;
    return is_in_window(call);
  }

  bool is_in_window(std::uint32_t call) const;

  bool records(std::uint32_t call) const {
    return enabled.load(std::memory_order_relaxed) && !finished.load(std::memory_order_relaxed) &&
           wants(call);
  }

  void note_first_call(std::uint32_t function, std::uint32_t call);
  void push(Event event);
  /// After a fork the writer's thread lives in the parent alone, and so does the file.
  bool forked() const;
  void attach_tracer();
  void note(const std::string& message);

  void write_loop();
  void write_round(bool last);
  void tell_steps(DeviceTracer& devices);
  void write_batch(bool last);
  bool write_records();
  void refresh_header(bool last);
  RecordingHeader header_copy() const;

  const std::string path;
  const RecorderOptions options;
  const pid_t started_in = getpid();
  const std::uint64_t serial;  // tells recorders apart in thread-local caches
  const bool every_call;       // the schedule leaves none out

  std::atomic<bool> enabled{true};
  std::atomic<bool> finished{false};
  std::atomic<std::uint32_t> calls{0};
  std::atomic<std::uint32_t> last_ignored{0};  // of the calls that are left out
  std::atomic<std::int64_t> writer_time{0};    // CPU nanoseconds
  DeviceCounts device_counts;
  std::atomic<DeviceTracer*> tracer{nullptr};
  ToolRanges ranges;

  EventQueue queue;

  mutable std::mutex mutex;  // everything below up to the writer's part
  Registry<FunctionRecord> functions;
  Registry<PlacedPlan> plans;
  Registry<LaneRecord> lanes;
  Registry<DetailRecord> details;
  Registry<PassStory> passes;
  std::uint32_t next_step = 1;
  std::set<std::uint32_t> called, ignored;  // functions; calls that are left out
  std::unordered_map<DetailRecord, std::uint32_t, DetailHash> detail_ids;
  std::map<LaneKey, std::uint16_t> lane_ids;
  std::unordered_map<std::thread::id, EventProducer*> producers;
  RecordingHeader header;

  std::mutex writer_mutex;  // the round in progress
  std::condition_variable wake, written;
  bool stopping = false;
  std::uint64_t rounds_wanted = 0, rounds_done = 0;
  bool broken = false;  // the file can't be written any more
  std::unique_ptr<RecordingFile> file;
  DeviceRoofs roofs{options.roofs};
  std::vector<Event> batch;
  std::thread writer;
};

}  // namespace hypatia
