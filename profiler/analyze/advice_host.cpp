// Rules about the host: compiling, the cost of calls, memory.

#include <algorithm>
#include <array>

#include "profiler/analyze/advice_rules.h"
#include "profiler/analyze/memory.h"

namespace hypatia {

namespace {

void slow_first_call(const AdviceCase& in) {
  for (const FunctionAccount& function : in.account.functions) {
    const double extra = function.first_call - function.median;
    if (function.calls < 2 || extra < 0.1 * in.length() || extra < 3 * function.median) continue;
    Advice advice;
    advice.rule = "first-call";
    const std::string& name = in.recording.functions()[function.id - 1].name;
    advice.title = "The first call of " + name + " took most of the time";
    advice.evidence = "It took " + advice_time(function.first_call) + ", later ones " +
                      advice_time(function.median) + ": it compiles and loads.";
    advice.fix =
        "Call it once before you measure; compiled kernels are kept on disk for the next "
        "run.";
    advice.confidence = 0.9;
    in.list.push_back(std::move(advice));
  }
}

void compiling(const AdviceCase& in) {
  const double time = in.account.wall[Wall::compile];
  const double all = in.account.wall.total();
  if (all <= 0 || time < 0.5 * all) return;
  Advice advice;
  advice.rule = "compiling";
  advice.title = "Most of this recording is compiling";
  advice.evidence = "Compilers and rewriting took " + advice_time(time) + ", " +
                    advice_percent(time, all) + " of it.";
  advice.fix = "Record more calls, or run again: the second start finds the kernels on disk.";
  advice.confidence = 0.9;
  in.list.push_back(std::move(advice));
}

void call_overhead(const AdviceCase& in) {
  for (const FunctionAccount& function : in.account.functions) {
    // The first call compiles inside of itself, which is another rule's.
    const double first = std::max(0.0, function.first_call - function.median);
    const double overhead = function.wall[Wall::call] - first;
    if (function.calls < 10 || overhead < 0.2 * (function.wall.total() - first)) continue;
    Advice advice;
    advice.rule = "call-overhead";
    advice.title = "Calls of " + in.recording.functions()[function.id - 1].name +
                   " spend their time around the work";
    advice.evidence = advice_percent(overhead, function.wall.total()) + " of the calls' time (" +
                      advice_time(overhead / static_cast<double>(function.calls)) +
                      " each) is checking arguments and walking the plan.";
    advice.fix = "Do more per call: larger batches, scan instead of a loop, or fn(n_calls=N).";
    advice.lesson = "04_scan";
    advice.gain = overhead;
    advice.confidence = 0.7;
    in.list.push_back(std::move(advice));
  }
}

void small_scan(const AdviceCase& in) {
  in.for_each_node(
      [&](const auto&, const auto& record, const NodeAccount& node, const NodeRecord& what) {
        if (what.parent < 0 || what.side != Side::gpu || node.calls < 100) return;
        const double work = node.parts.gpu() / static_cast<double>(node.calls);
        const double launch = node.parts.cpu() / static_cast<double>(node.calls);
        if (work <= 0 || work > launch) return;
        Advice advice;
        advice.rule = "small-scan-body";
        advice.title = "The body of " + record.nodes[static_cast<std::size_t>(what.parent)].name +
                       " is too small for the GPU";
        advice.evidence = what.name + " computes for " + advice_time(work) + " and takes " +
                          advice_time(launch) + " to submit, each step.";
        advice.fix = "Run this function on the CPU, or work on a batch in each step.";
        advice.lesson = "04_scan";
        advice.gain = node.parts.cpu() - node.parts.gpu();
        advice.confidence = 0.6;
        advice.nodes = {node.id};
        in.list.push_back(std::move(advice));
      });
}

void memory_full(const AdviceCase& in) {
  for (const PlanRecord& plan : in.recording.plans()) {
    const FunctionRecord* function = in.recording.function(plan.function);
    const DeviceInfo* device = function ? in.device(function->device) : nullptr;
    if (!device || device->limits.memory_bytes <= 0) continue;
    const MemoryAnalysis memory = analyze_memory(in.recording, plan);
    const auto total = static_cast<double>(device->limits.memory_bytes);
    const auto peak = static_cast<double>(memory.peak.device);
    if (peak < 0.9 * total) continue;
    Advice advice;
    advice.rule = "memory-full";
    advice.title = function->name + " fills the device's memory";
    advice.evidence =
        "Its peak is " + advice_percent(peak, total) + " of what " + device->name + " has.";
    advice.fix = "Use smaller batches or float32, or keep large constants on the host.";
    advice.confidence = 0.9;
    in.list.push_back(std::move(advice));
  }
}

constexpr std::array<AdviceRule, 5> all_host_rules{
    slow_first_call, compiling, call_overhead, small_scan, memory_full};

}  // namespace

std::span<const AdviceRule> host_rules() {
  return all_host_rules;
}

}  // namespace hypatia
