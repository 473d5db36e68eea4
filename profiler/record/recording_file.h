#pragma once
// Writes a .hyp file piece by piece, in transactions: what the recorder's thread calls, and what
// trimming, merging and migrating end in.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiler/record/database.h"
#include "profiler/record/recording.h"

namespace hypatia {

/// A file being written. Methods throw Error of kind file; the file then holds what the last
/// commit left. Used by one thread at a time.
class RecordingFile {
 public:
  /// Makes a new file; an older recording of that name is replaced, any other file is an error.
  explicit RecordingFile(const std::string& path);
  ~RecordingFile();

  void begin();
  void commit();

  void write(const RecordingHeader& header);
  void add_function(std::uint32_t id, const FunctionRecord& function);
  /// The plan's steps get ids from `first_step` on.
  void add_plan(std::uint32_t id, std::uint32_t first_step, const PlanRecord& plan);
  void add_lane(std::uint32_t id, const LaneRecord& lane);
  void add_detail(std::uint32_t id, const DetailRecord& detail);
  void add_pass(std::uint32_t id, const PassStory& pass);
  void add_events(std::span<const Event> events);

  /// Removes blocks of events that end before this call.
  void forget_calls_before(std::uint32_t call);

  /// Commits and folds the log in: the recording is one file from here on.
  void close();

 private:
  struct Tail {
    std::int64_t block = 0;  // 0: no row yet
    std::uint32_t last_call = 0;
    bool dirty = false;
    std::vector<Event> events;
  };

  struct Count {
    std::int64_t count = 0, total = 0, least = INT64_MAX, most = 0;
    bool dirty = false;
  };

  void add_nodes(std::uint32_t id, const FunctionRecord& function);
  void write_tail(std::uint16_t lane, Tail& tail);
  void write_counts();

  Database database_;
  std::unique_ptr<Transaction> transaction_;
  std::unique_ptr<Statement> block_;
  std::map<std::uint16_t, Tail> tails_;
  std::vector<std::array<Count, event_kind_count>> counts_;  // by step
  std::int64_t next_block_ = 1;
};

/// Writes all of it as a closed file, under another name first and then renamed.
void write_recording(const RecordingData& data, const std::string& path);

}  // namespace hypatia
