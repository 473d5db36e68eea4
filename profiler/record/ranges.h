#pragma once
// Ranges for NVIDIA's tools (NVTX), so that Nsight shows calls and nodes by their names. A build
// without the toolkit's nvtx3 headers has none, and no tool listens.

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

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
  /// Steps go by their nodes: "GpuElemwise{exp,no_inplace}", "Elemwise{add} + 2 more".
  void add_plan(const PlanRecord& plan, const FunctionRecord& function);

  /// Ids count from 1, in the order in which they were added.
  void begin_call(std::uint32_t function) { begin(functions_, function); }

  void begin_step(std::uint32_t step) { begin(steps_, step); }

  /// What the user's program marks; the tool copies the name.
  void begin_note(const std::string& name);

  void end();

 private:
  void push(const char* name);
  void begin(const std::deque<std::string>& names, std::uint32_t id);

  void* domain_ = nullptr;
  std::mutex mutex_;
  std::deque<std::string> functions_, steps_;  // names stay where they are
};

}  // namespace hypatia
