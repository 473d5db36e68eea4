#pragma once
// Finds for every kernel, copy and wait the call and step that it belongs to. Records come in any
// order and from several buffers, so work waits here until its driver call and its external id
// have been seen.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/cupti/api.h"
#include "profiler/cupti/clock.h"
#include "profiler/record/device_tracer.h"

namespace hypatia::cupti {

/// A call's number and a step's id in the 64 bits that CUPTI carries for us.
inline std::uint64_t pack(std::uint32_t call, std::uint32_t step) {
  return std::uint64_t{call} << 32 | step;
}

/// Which step made each node of a captured graph, by CUPTI's node id.
using GraphNodes = std::unordered_map<std::uint64_t, std::uint32_t>;
/// CUPTI's thread numbers to the system's.
using ThreadNumbers = std::unordered_map<std::uint32_t, std::uint64_t>;

class Join {
 public:
  explicit Join(const Api& api) : api_(api) {}

  /// Host steps as the executor reported them, for attribution by time.
  void add_step(std::uint64_t thread, const Event& step);
  void add(const std::uint8_t* record);
  /// Hands on what is known now; with `last`, everything.
  void resolve(
      DeviceSink& sink,
      const ClockMap& clock,
      const GraphNodes& graph,
      const ThreadNumbers& threads,
      bool last);

 private:
  /// A call of the driver or runtime, and whose work it was.
  struct ApiCall {
    std::uint64_t start = 0, end = 0, external = 0;
    std::uint32_t thread = 0, function = 0, round = 0;
    Kind domain = Kind::driver;
    bool has_api = false, has_external = false, shown = false;
  };

  struct Work {
    EventKind kind;
    std::uint64_t start, end, graph_node;
    std::uint32_t device, stream, correlation, round;
    DetailRecord detail;
  };

  struct Owner {
    std::uint32_t call = 0, step = 0;
    std::uint8_t flags = 0;
  };

  struct Round {
    DeviceSink& sink;
    const ClockMap& clock;
    const GraphNodes& graph;
    const ThreadNumbers& threads;
  };

  void add_api(const ApiRecord& record);
  void add_work(EventKind kind, const KernelRecord& record);
  void add_copy(const CopyRecord& record);
  void add_fill(const FillRecord& record);
  void hand_on(const Work& work, const Round& round);
  Owner owner_of(const Work& work, const ApiCall* call, const Round& round) const;
  const Event* step_at(std::uint64_t thread, std::int64_t time) const;
  void show_call(ApiCall& call, const Owner& owner, const DetailRecord& detail, const Round& round);
  void hand_on_overheads(const Round& round);
  void forget_old();

  const Api& api_;
  std::uint32_t round_ = 0;
  std::unordered_map<std::uint32_t, ApiCall> calls_;
  std::vector<Work> waiting_;
  std::vector<OverheadRecord> overheads_;
  std::unordered_map<std::uint64_t, std::vector<Event>> steps_;  // by thread, by begin
};

}  // namespace hypatia::cupti
