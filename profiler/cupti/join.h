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

/// What stands for the call of work that an owner outside of steps submitted; its step is then the
/// owner's number.
inline constexpr std::uint32_t owners_call = 0xffffffff;

/// Which step a node of a captured graph was captured in, and how many calls after the one that
/// submits the graph.
struct GraphNode {
  std::int32_t calls_later = 0;
  std::uint32_t step = 0;
  bool operator==(const GraphNode&) const = default;
};

/// What the program's threads and CUPTI's callbacks noted.
struct Notes {
  std::unordered_map<std::uint64_t, GraphNode> graph_nodes;  // by CUPTI's id
  // Nodes in the order of their capture, by the step that submits them. One stream is captured, so
  // that they run in this order.
  std::unordered_map<std::uint32_t, std::vector<GraphNode>> captures;
  std::unordered_map<std::uint32_t, std::uint64_t> threads;  // CUPTI's numbers to the system's
  std::vector<std::string> owners;                           // number 1 first
};

class Join {
 public:
  /// Host steps as the executor reported them, for attribution by time.
  void add_step(std::uint64_t thread, const Event& step);
  void add(const std::uint8_t* record);
  /// Hands on what is known now; with `last`, everything.
  void resolve(DeviceSink& sink, const ClockMap& clock, const Notes& notes, bool last);

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
    const std::string* outside = nullptr;  // who, where it is no step's
  };

  struct Round {
    DeviceSink& sink;
    const ClockMap& clock;
    const Notes& notes;
  };

  void add_api(const ApiRecord& record);
  void add_work(EventKind kind, const KernelRecord& record);
  void add_copy(const CopyRecord& record);
  void add_fill(const FillRecord& record);
  void add_wait(const SyncRecord& record);
  void add_memory(const MemoryRecord& record);
  void hand_on(const Work& work, const Round& round, const GraphNode* by_order = nullptr);
  /// The work of one submission of a graph; false if some of it may be still to come.
  bool hand_on_graph(std::vector<Work>& works, const Round& round, bool last);
  void hand_on_graphs(const Round& round, bool last);
  Owner owner_of(const Work& work, const ApiCall* call, const Round& round) const;
  /// Inside of a graph, by the node's id; its place in the graph's order says the same.
  void find_node(
      Owner& owner, const Work& work, const GraphNode* by_order, const Round& round) const;
  const Event* step_at(std::uint64_t thread, std::int64_t time) const;
  std::uint16_t lane_of(const ApiCall& call, const Round& round) const;
  std::uint16_t lane_of(const Work& work, const Round& round) const;
  void show_call(ApiCall& call, const Owner& owner, const DetailRecord& detail, const Round& round);
  void hand_on_overheads(const Round& round);
  void forget_old();

  std::uint32_t round_ = 0;
  std::unordered_map<std::uint32_t, ApiCall> calls_;
  std::vector<Work> waiting_;
  std::map<std::uint32_t, std::vector<Work>> graphs_;  // by correlation
  std::vector<OverheadRecord> overheads_;
  std::unordered_map<std::uint64_t, std::vector<Event>> steps_;  // by thread, by begin
};

}  // namespace hypatia::cupti
