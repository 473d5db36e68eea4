// Rules about copies between host and device.

#include <algorithm>
#include <array>
#include <set>

#include "profiler/analyze/advice_rules.h"

namespace hypatia {

namespace {

constexpr std::uint8_t pageable = 1;

/// The positions of the nodes that read each node's results.
std::vector<std::vector<std::size_t>> readers_of(const FunctionRecord& function) {
  std::vector<std::vector<std::size_t>> readers(function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    for (const InputRecord& input : function.nodes[i].inputs) {
      if (input.node >= 0) readers[static_cast<std::size_t>(input.node)].push_back(i);
    }
  }
  return readers;
}

bool copies_in(const NodeAccount& node) {
  return node.parts[Part::copy_in] > 0;
}

void much_transfer(const AdviceCase& in) {
  const double time = in.account.wall[Wall::transfer];
  if (time <= 0 || time < 0.3 * in.length()) return;
  Advice advice;
  advice.rule = "transfers";
  advice.title = "Most of the waiting is for copies between host and device";
  double worst = 0;
  std::string name;
  in.for_each_node([&](const auto&, const auto&, const NodeAccount& node, const NodeRecord& what) {
    if (node.parts.transfer() <= 0) return;
    advice.nodes.push_back(node.id);
    if (node.parts.transfer() <= worst) return;
    worst = node.parts.transfer();
    name = what.name + (what.inputs.empty() || what.inputs[0].name.empty()
                            ? std::string()
                            : " of " + what.inputs[0].name);
  });
  advice.evidence = "Copies take " + advice_percent(time, in.length()) + " of the time in calls (" +
                    advice_time(time) + "); " + name + " alone copies for " + advice_time(worst) +
                    ".";
  advice.fix =
      "Keep what does not change on the device in shared variables, and return only what you read.";
  advice.lesson = "08_curse_of_transfers";
  advice.gain = time;
  advice.confidence = 0.9;
  in.list.push_back(std::move(advice));
}

void argument_each_call(const AdviceCase& in) {
  in.for_each_node([&](const auto& function,
                       const auto& record,
                       const NodeAccount& node,
                       const NodeRecord& what) {
    if (!copies_in(node) || node.calls < 2 || what.inputs.empty()) return;
    const InputRecord& input = what.inputs[0];
    if (input.node >= 0) return;
    Advice advice;
    advice.rule = "argument-each-call";
    advice.title = "The argument " + (input.name.empty() ? "of " + what.name : input.name) +
                   " is copied to the device at every call of " + record.name;
    advice.evidence = std::to_string(node.calls) + " copies in " + std::to_string(function.calls) +
                      " calls took " + advice_time(node.parts[Part::copy_in]) + ".";
    advice.fix = "If it is the same each time, make it a shared variable: it is copied once.";
    advice.lesson = "03_logistic_regression";
    advice.gain = node.parts[Part::copy_in];
    advice.confidence = 0.6;
    advice.nodes = {node.id};
    in.list.push_back(std::move(advice));
  });
}

void pageable_copies(const AdviceCase& in) {
  double bytes = 0, time = 0;
  std::int64_t count = 0;
  std::set<NodeId> nodes;
  const DeviceInfo* gpu = nullptr;
  for (const RecordedStep& step : in.recording.steps()) {
    const StepAccount& spent = in.account.steps[step.id - 1];
    const DetailRecord* detail = in.recording.detail(spent.detail);
    const bool host_is_pageable =
        detail && (detail->source_memory == pageable || detail->target_memory == pageable);
    if (!host_is_pageable || spent.parts.transfer() <= 0 || !step.function) continue;
    bytes += static_cast<double>(detail->bytes * spent.device_events);
    time += spent.parts.transfer();
    count += spent.device_events;
    gpu = in.device(in.recording.function(step.function)->device);
    for (const StepShare& share : step.record->nodes)
      nodes.insert({step.function, share.node});
  }
  if (!count || time < 0.02 * in.length()) return;
  Advice advice;
  advice.rule = "pageable-copies";
  advice.title = "Copies use pageable host memory";
  advice.evidence = std::to_string(count) + " copies from or to pageable memory moved at " +
                    std::to_string(static_cast<int>(bytes / time)) + " GB/s in " +
                    advice_time(time) + ".";
  advice.fix =
      "Pinned memory copies faster and lets the host go on: use arrays that the device "
      "allocated, or shared variables.";
  advice.lesson = "02_device_handles";
  const double link = gpu ? gpu->limits.copy_in_bandwidth : 0;
  advice.gain = link > 0 ? std::max(0.0, time - bytes / link * 1e9) : time / 2;
  advice.confidence = 0.7;
  advice.nodes.assign(nodes.begin(), nodes.end());
  in.list.push_back(std::move(advice));
}

/// A result that goes to the host, through host nodes or none, and back to the device.
void ping_pong(const AdviceCase& in) {
  for (const FunctionAccount& function : in.account.functions) {
    const FunctionRecord& record = in.recording.functions()[function.id - 1];
    const auto readers = readers_of(record);
    for (const NodeAccount& out : function.nodes) {
      if (!out.calls || out.parts[Part::copy_out] <= 0) continue;
      // Host nodes between the copies, breadth first.
      std::vector<std::size_t> queue{out.id.node};
      std::set<std::size_t> seen{out.id.node};
      for (std::size_t next = 0; next < queue.size() && seen.size() < 1000; ++next) {
        for (const std::size_t reader : readers[queue[next]]) {
          const NodeAccount& node = function.nodes[reader];
          if (copies_in(node)) {
            const bool direct = next == 0;
            Advice advice;
            advice.rule = direct ? "ping-pong" : "cpu-island";
            const NodeRecord& host = record.nodes[queue[next]];
            advice.title = direct ? "A result leaves the device and comes straight back"
                                  : host.name + " runs on the CPU between nodes of the GPU";
            advice.evidence = "It is copied out and in again at every call, for " +
                              advice_time(out.parts.transfer() + node.parts.transfer()) +
                              " in all." + (host.reason.empty() ? "" : " Why: " + host.reason);
            advice.fix = direct ? "Keep it on the device between the two functions or nodes."
                                : "Use an op that has a GPU version, or float32, so that the data "
                                  "can stay on the device.";
            advice.lesson = "08_curse_of_transfers";
            advice.gain = out.parts.transfer() + node.parts.transfer();
            advice.confidence = 0.9;
            advice.nodes = {out.id, node.id};
            if (!direct)
              advice.nodes.push_back({function.id, static_cast<std::uint32_t>(queue[next])});
            in.list.push_back(std::move(advice));
          } else if (record.nodes[reader].side == Side::cpu && seen.insert(reader).second) {
            queue.push_back(reader);
          }
        }
      }
    }
  }
}

void waits_each_call(const AdviceCase& in) {
  for (const FunctionAccount& function : in.account.functions) {
    const double waits = function.wall[Wall::sync];
    if (function.calls < 10 || waits < 0.1 * in.length()) continue;
    Advice advice;
    advice.rule = "wait-each-call";
    advice.title =
        "Every call of " + in.recording.functions()[function.id - 1].name + " waits for the device";
    advice.evidence = "The host waited " + advice_time(function.parts[Part::sync]) + " in " +
                      std::to_string(function.calls) + " calls; " + advice_time(waits) +
                      " of it with nothing running at all.";
    advice.fix =
        "Ask for results less often: keep them as device handles and read them after the "
        "loop, or run many calls as one with fn(n_calls=N).";
    advice.lesson = "02_device_handles";
    advice.gain = waits;
    advice.confidence = 0.7;
    in.list.push_back(std::move(advice));
  }
}

constexpr std::array<AdviceRule, 5> all_transfer_rules{
    much_transfer, argument_each_call, pageable_copies, ping_pong, waits_each_call};

}  // namespace

std::span<const AdviceRule> transfer_rules() {
  return all_transfer_rules;
}

}  // namespace hypatia
