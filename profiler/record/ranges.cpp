// NVTX's own headers find and load the tool; without one, every call of theirs is a null test.
#include "profiler/record/ranges.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#define HYPATIA_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace hypatia {

namespace {

std::string name_of(const StepRecord& step, const FunctionRecord& function) {
  if (step.nodes.empty() || step.nodes[0].node >= function.nodes.size()) return step.name;
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

void ToolRanges::begin(const std::deque<std::string>& names, std::uint32_t id) {
  const char* name = "";
  {
    const std::scoped_lock lock(mutex_);
    if (id - 1u < names.size()) name = names[id - 1u].c_str();
  }
  push(name);
}

void ToolRanges::begin_note(const std::string& name) {
  push(name.c_str());
}

#ifdef HYPATIA_NVTX

ToolRanges::ToolRanges() : domain_(nvtxDomainCreateA("hypatia")) {}

void ToolRanges::push(const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  nvtxDomainRangePushEx(static_cast<nvtxDomainHandle_t>(domain_), &event);
}

void ToolRanges::end() {
  nvtxDomainRangePop(static_cast<nvtxDomainHandle_t>(domain_));
}

#else

ToolRanges::ToolRanges() = default;

void ToolRanges::push(const char*) {}

void ToolRanges::end() {}

#endif

}  // namespace hypatia
