#pragma once
// The one list of a header's and of a device's fields, read by everything that writes or reads
// them: the file, JSON, comparison.

#include "profiler/record/recording.h"

namespace hypatia {

/// Calls visit(name, field) for every field of a header but its lists.
template <typename Header, typename Visit>
void visit_fields(Header& header, Visit&& visit) requires requires {
  header.suite_version;
}

{
  visit("suite_version", header.suite_version);
  visit("program", header.program);
  visit("command_line", header.command_line);
  visit("exercise", header.exercise);
  visit("role", header.role);
  visit("machine", header.machine);
  visit("processor", header.processor);
  visit("cores", header.cores);
  visit("flags", header.flags);
  visit("started", header.started);
  visit("process", header.process);
  visit("monotonic_anchor", header.monotonic_anchor);
  visit("realtime_anchor", header.realtime_anchor);
  visit("clock_error", header.clock_error);
  visit("event_cost", header.event_cost);
  visit("writer_seconds", header.writer_seconds);
  visit("slowdown", header.slowdown);
  visit("dropped", header.dropped);
  visit("without_time", header.without_time);
  visit("unordered", header.unordered);
  visit("unattributed", header.unattributed);
  visit("disagreements", header.disagreements);
  visit("call_count", header.call_count);
  visit("closed", header.closed);
  visit("simulated", header.simulated);
}

/// Calls visit(name, field) for every rate among a device's limits: what measuring its roofs finds.
template <typename LimitsLike, typename Visit>
void visit_rates(LimitsLike& limits, Visit&& visit) {
  visit("f32_flops", limits.f32_flops);
  visit("f64_flops", limits.f64_flops);
  visit("memory_bandwidth", limits.memory_bandwidth);
  visit("cache_bandwidth", limits.cache_bandwidth);
  visit("copy_in_bandwidth", limits.copy_in_bandwidth);
  visit("copy_out_bandwidth", limits.copy_out_bandwidth);
  visit("pageable_bandwidth", limits.pageable_bandwidth);
}

/// Calls visit(name, field) for every limit of a device.
template <typename LimitsLike, typename Visit>
void visit_fields(LimitsLike& limits, Visit&& visit) requires requires {
  limits.f32_flops;
}

{
  visit_rates(limits, visit);
  visit("launch_latency", limits.launch_latency);
  visit("kernel_latency", limits.kernel_latency);
  visit("copy_latency", limits.copy_latency);
  visit("graph_node_latency", limits.graph_node_latency);
  visit("sync_latency", limits.sync_latency);
  visit("memory_bytes", limits.memory_bytes);
  visit("cache_bytes", limits.cache_bytes);
  visit("shared_per_block", limits.shared_per_block);
  visit("multiprocessors", limits.multiprocessors);
  visit("max_threads_per_block", limits.max_threads_per_block);
  visit("max_threads_per_multiprocessor", limits.max_threads_per_multiprocessor);
  visit("warp", limits.warp);
}

}  // namespace hypatia
