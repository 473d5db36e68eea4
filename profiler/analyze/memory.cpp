// Simulates a plan's buffers: made at their first step, freed after their last.

#include "profiler/analyze/memory.h"

#include <algorithm>
#include <limits>
#include <map>

namespace hypatia {

namespace {

void add(LiveBytes& bytes, const BufferRecord& buffer) {
  (buffer.on_device ? bytes.device : bytes.host) += std::max<std::int64_t>(0, buffer.bytes);
}

/// Live bytes at every step if the buffers for which `counts` holds take memory of their own.
template <typename Counts>
std::vector<LiveBytes> live_bytes(const PlanRecord& plan, Counts counts) {
  const auto steps = static_cast<std::int32_t>(plan.steps.size());
  std::vector<LiveBytes> change(static_cast<std::size_t>(steps) + 1);
  for (const BufferRecord& buffer : plan.buffers) {
    if (!counts(buffer)) continue;
    const std::int32_t first = std::clamp(buffer.first_step, 0, steps);
    const std::int32_t last = std::clamp(buffer.last_step, first, steps - 1);
    if (first >= steps) continue;
    add(change[static_cast<std::size_t>(first)], buffer);
    LiveBytes freed;
    add(freed, buffer);
    change[static_cast<std::size_t>(last) + 1].host -= freed.host;
    change[static_cast<std::size_t>(last) + 1].device -= freed.device;
  }
  std::vector<LiveBytes> live;
  LiveBytes now;
  for (std::int32_t i = 0; i < steps; ++i) {
    now.host += change[static_cast<std::size_t>(i)].host;
    now.device += change[static_cast<std::size_t>(i)].device;
    live.push_back(now);
  }
  return live;
}

LiveBytes largest(const std::vector<LiveBytes>& live) {
  LiveBytes most;
  for (const LiveBytes& bytes : live) {
    if (bytes.total() > most.total()) most = bytes;
  }
  return most;
}

/// Steps as a graph: who must come before whom, what each makes, and who reads it.
struct StepGraph {
  struct Made {
    std::int64_t bytes;
    std::vector<std::size_t> readers;
    bool kept;  // a result: alive to the end
  };

  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::vector<Made>> makes;
};

StepGraph step_graph(const FunctionRecord& function, const PlanRecord& plan) {
  StepGraph graph;
  const std::size_t count = plan.steps.size();
  graph.needs.resize(count);
  graph.makes.resize(count);
  std::map<std::uint32_t, std::size_t> step_of_node;
  for (std::size_t i = 0; i < count; ++i) {
    for (const StepShare& share : plan.steps[i].nodes)
      step_of_node.emplace(share.node, i);
  }
  std::map<std::uint32_t, std::vector<std::size_t>> readers;
  for (std::size_t i = 0; i < count; ++i) {
    for (const StepShare& share : plan.steps[i].nodes) {
      for (const InputRecord& input : function.nodes[share.node].inputs) {
        if (input.node < 0) continue;
        const auto source = static_cast<std::uint32_t>(input.node);
        const auto maker = step_of_node.find(source);
        if (maker == step_of_node.end() || maker->second >= i) continue;
        graph.needs[i].push_back(maker->second);
        readers[source].push_back(i);
      }
    }
  }
  for (const BufferRecord& buffer : plan.buffers) {
    const auto maker = step_of_node.find(buffer.node);
    if (buffer.kind != 'c' || maker == step_of_node.end()) continue;
    const std::vector<std::size_t>& read_by = readers[buffer.node];
    graph.makes[maker->second].push_back(
        {std::max<std::int64_t>(0, buffer.bytes), read_by, read_by.empty()});
  }
  return graph;
}

/// Bytes alive while `step` runs after the steps of `done`.
std::int64_t live_during(const StepGraph& graph, const std::vector<bool>& done, std::size_t step) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < graph.makes.size(); ++i) {
    if (!done[i] && i != step) continue;
    for (const StepGraph::Made& made : graph.makes[i]) {
      const bool needed = std::any_of(
          made.readers.begin(), made.readers.end(), [&](std::size_t r) { return !done[r]; });
      if (made.kept || needed) bytes += made.bytes;
    }
  }
  return bytes;
}

bool ready(const StepGraph& graph, const std::vector<bool>& done, std::size_t step) {
  return !done[step] &&
         std::all_of(graph.needs[step].begin(), graph.needs[step].end(), [&](std::size_t need) {
           return done[need];
         });
}

/// The least peak over all valid orders, by the sets of steps that are done.
std::int64_t best_by_sets(const StepGraph& graph) {
  const std::size_t count = graph.needs.size();
  constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> peak(std::size_t{1} << count, unreached);
  peak[0] = 0;
  std::vector<bool> done(count);
  for (std::size_t set = 0; set < peak.size(); ++set) {
    if (peak[set] == unreached) continue;
    for (std::size_t i = 0; i < count; ++i)
      done[i] = (set >> i) & 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (!ready(graph, done, i)) continue;
      std::int64_t& next = peak[set | std::size_t{1} << i];
      next = std::min(next, std::max(peak[set], live_during(graph, done, i)));
    }
  }
  return peak.back() == unreached ? 0 : peak.back();
}

/// Takes at each point the step that leaves the least alive.
std::int64_t best_step_by_step(const StepGraph& graph) {
  std::vector<bool> done(graph.needs.size());
  std::int64_t peak = 0;
  for (std::size_t round = 0; round < done.size(); ++round) {
    std::size_t best = done.size();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!ready(graph, done, i)) continue;
      const std::int64_t bytes = live_during(graph, done, i);
      if (bytes < least) {
        least = bytes;
        best = i;
      }
    }
    if (best == done.size()) break;
    done[best] = true;
    peak = std::max(peak, least);
  }
  return peak;
}

void find_peak(MemoryAnalysis& memory, const PlanRecord& plan) {
  for (std::size_t i = 0; i < memory.live.size(); ++i) {
    if (memory.live[i].total() <= memory.peak.total()) continue;
    memory.peak = memory.live[i];
    memory.peak_step = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferRecord& buffer = plan.buffers[i];
    const bool alive =
        buffer.first_step <= memory.peak_step && memory.peak_step <= buffer.last_step;
    if (alive && buffer.kind == 'c') memory.at_peak.push_back(i);
  }
  std::stable_sort(memory.at_peak.begin(), memory.at_peak.end(), [&](std::size_t a, std::size_t b) {
    return plan.buffers[a].bytes > plan.buffers[b].bytes;
  });
}

LiveBytes slots_of(const PlanRecord& plan) {
  std::map<std::pair<bool, std::int32_t>, std::int64_t> slots;
  for (const BufferRecord& buffer : plan.buffers) {
    if (buffer.kind != 'c') continue;
    std::int64_t& bytes = slots[{buffer.on_device, buffer.slot}];
    bytes = std::max(bytes, buffer.bytes);
  }
  LiveBytes sum;
  for (const auto& [slot, bytes] : slots)
    (slot.first ? sum.device : sum.host) += bytes;
  return sum;
}

bool created(const BufferRecord& buffer) {
  return buffer.kind == 'c';
}

}  // namespace

std::vector<LiveBytes> live_bytes(const PlanRecord& plan) {
  return live_bytes(plan, created);
}

MemoryAnalysis analyze_memory(const Recording& recording, const PlanRecord& plan) {
  MemoryAnalysis memory;
  const auto not_view = [](const BufferRecord& buffer) { return buffer.kind != 'v'; };
  memory.live = live_bytes(plan);
  find_peak(memory, plan);
  memory.reserved = slots_of(plan);
  memory.without_inplace = largest(live_bytes(plan, not_view));
  for (const BufferRecord& buffer : plan.buffers) {
    if (created(buffer)) add(memory.without_gc, buffer);
  }
  const FunctionRecord* function = recording.function(plan.function);
  if (!function || plan.steps.size() > 2000) {
    memory.best_order = memory.peak.total();
    memory.best_is_exact = false;
    return memory;
  }
  const StepGraph graph = step_graph(*function, plan);
  memory.best_is_exact = plan.steps.size() <= 16;
  memory.best_order = memory.best_is_exact ? best_by_sets(graph) : best_step_by_step(graph);
  // The order as it runs is valid too.
  memory.best_order = std::min(memory.best_order, memory.peak.total());
  return memory;
}

}  // namespace hypatia
