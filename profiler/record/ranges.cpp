// NVTX's own headers find and load the tool; without one, every call of theirs is a null test.
#include "profiler/record/ranges.h"

#include <algorithm>

#if __has_include(<nvtx3/nvToolsExtCuda.h>) && __has_include(<cuda.h>)
#define HYPATIA_NVTX
#include <nvtx3/nvToolsExtCuda.h>
#endif

namespace hypatia {

namespace {

/// What this thread captures: the steps so far, for the step that it began last.
struct Captures {
  std::uint32_t step = 0;
  bool under_way = false;
};

thread_local Captures captures;

std::string name_of(const StepRecord& step, const FunctionRecord& function) {
  const bool has_node = !step.nodes.empty() && step.nodes[0].node < function.nodes.size();
  if (!has_node) return step.side == Side::gpu ? function.name + ", one CUDA graph" : step.name;
  const std::string& first = function.nodes[step.nodes[0].node].name;
  const std::size_t others = step.nodes.size() - 1;
  return others ? first + " + " + std::to_string(others) + " more" : first;
}

}  // namespace

void ToolRanges::add_function(const FunctionRecord& function) {
  const std::scoped_lock lock(mutex_);
  functions_.push_back(function.name);
}

void ToolRanges::add_plan(const PlanRecord& plan, const FunctionRecord& function) {
  const std::scoped_lock lock(mutex_);
  for (const StepRecord& step : plan.steps)
    steps_.push_back(name_of(step, function));
}

std::string ToolRanges::name_of_step(std::uint32_t step) const {
  return step - 1u < steps_.size() ? steps_[step - 1u] : "";
}

/// Steps of several calls are in it once a call.
std::string ToolRanges::name_of_graph(
    std::uint32_t step, const std::vector<std::uint32_t>& captured) const {
  constexpr std::size_t most_letters = 240;
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t one : captured) {
    if (std::find(steps.begin(), steps.end(), one) == steps.end()) steps.push_back(one);
  }
  std::string text = name_of_step(step);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = name_of_step(steps[i]);
    if (text.size() + name.size() > most_letters) {
      return text + " and " + std::to_string(steps.size() - i) + " more steps";
    }
    text += (i ? ", " : ": ") + name;
  }
  return text;
}

void ToolRanges::begin_call(std::uint32_t function) {
  std::string name;
  {
    const std::scoped_lock lock(mutex_);
    if (function - 1u < functions_.size()) name = functions_[function - 1u];
  }
  push(name);
}

void ToolRanges::begin_step(std::uint32_t step) {
  captures = {step, false};
  std::string name;
  std::uint64_t steps = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto graph = graphs_.find(step);
    const bool known = graph != graphs_.end();
    name = known ? name_of_graph(step, graph->second) : name_of_step(step);
    steps = known ? graph->second.size() : 0;
  }
  push(name, steps);
}

void ToolRanges::begin_captured(std::uint32_t step) {
  std::string name;
  {
    const std::scoped_lock lock(mutex_);
    std::vector<std::uint32_t>& graph = graphs_[captures.step];
    if (!captures.under_way) graph.clear();
    captures.under_way = true;
    graph.push_back(step);
    name = name_of_step(step);
  }
  push(name);
}

void ToolRanges::begin_note(const std::string& name) {
  push(name);
}

#ifdef HYPATIA_NVTX

ToolRanges::ToolRanges() : domain_(nvtxDomainCreateA("hypatia")) {}

void ToolRanges::push(const std::string& name, std::uint64_t payload) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name.c_str();
  if (payload) {
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = payload;
  }
  nvtxDomainRangePushEx(static_cast<nvtxDomainHandle_t>(domain_), &event);
}

void ToolRanges::end() {
  nvtxDomainRangePop(static_cast<nvtxDomainHandle_t>(domain_));
}

void name_stream(void* stream, const std::string& name) {
  nvtxNameCuStreamA(static_cast<CUstream>(stream), name.c_str());
}

void name_thread(std::uint64_t thread, const std::string& name) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(thread), name.c_str());
}

#else

ToolRanges::ToolRanges() = default;

void ToolRanges::push(const std::string&, std::uint64_t) {}

void ToolRanges::end() {}

void name_stream(void*, const std::string&) {}

void name_thread(std::uint64_t, const std::string&) {}

#endif

}  // namespace hypatia
