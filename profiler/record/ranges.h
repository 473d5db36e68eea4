#pragma once
// Ranges and names for NVIDIA's tools (NVTX), so that Nsight shows calls, nodes, threads and
// streams by their names. A build without the toolkit's nvtx3 headers has none, and no tool
// listens.

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/trace/records.h"

namespace hypatia {

/// The ranges of one recorder's functions and steps, and of what the user's program marks.
class ToolRanges {
 public:
  /// Asks for a tool: the one that NVTX_INJECTION64_PATH names, or that started the program.
  ToolRanges();

  /// False, and the rest not to be called, where no tool listens.
  bool listened() const { return domain_ != nullptr; }

  void add_function(const FunctionRecord& function);
  /// Steps go by their nodes: "GpuElemwise{exp,no_inplace}", "Elemwise{add} + 2 more". A step that
  /// submits a graph goes by its function.
  void add_plan(const PlanRecord& plan, const FunctionRecord& function);

  /// Ids count from 1, in the order in which they were added.
  void begin_call(std::uint32_t function);
  /// One that submits a graph which has been captured says what is in it: "train, one CUDA graph:
  /// GpuGemv{no_inplace}, GpuElemwise{sigmoid}". Its payload is how many steps those are.
  void begin_step(std::uint32_t step);
  /// Work of `step` is captured for the step that this thread began last.
  void begin_captured(std::uint32_t step);

  /// What the user's program marks; the tool copies the name.
  void begin_note(const std::string& name);

  void end();

 private:
  /// `payload` 0: none.
  void push(const std::string& name, std::uint64_t payload = 0);
  std::string name_of_step(std::uint32_t step) const;
  std::string name_of_graph(std::uint32_t step, const std::vector<std::uint32_t>& captured) const;

  void* domain_ = nullptr;
  std::mutex mutex_;
  std::deque<std::string> functions_, steps_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> graphs_;  // steps, by the one that submits
};

/// Names a stream of the driver's, or a thread by the system's number, for a tool.
void name_stream(void* stream, const std::string& name);
void name_thread(std::uint64_t thread, const std::string& name);

}  // namespace hypatia
