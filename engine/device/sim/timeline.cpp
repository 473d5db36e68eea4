#include "engine/device/sim/timeline.h"

#include <algorithm>
#include <cmath>

namespace hypatia::sim {

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

Slot Timeline::kernel(
    QueueTimes& queue, std::int64_t submitted, double seconds, double share, bool in_graph) {
  const double gap = queue.last != Engine::compute ? sheet_.engine_switch
                     : in_graph                    ? sheet_.limits.graph_node_latency
                                                   : sheet_.kernel_gap;
  std::int64_t ready = submitted;
  if (queue.free_at > 0) ready = std::max(ready, queue.free_at + nanoseconds(gap));
  if (queue.kernels > 0 && !in_graph)
    ready = std::max(ready, queue.last_begin() + nanoseconds(sheet_.launch_interval));
  const std::int64_t begin = first_fit(ready, share);
  const Slot slot{begin, begin + nanoseconds(seconds)};
  running_.push_back({slot, share});
  queue.begins[queue.kernels++ % queue.begins.size()] = begin;
  queue.free_at = slot.end;
  queue.last = Engine::compute;
  return slot;
}

// The first instant from `ready` on at which enough of the card is idle.
std::int64_t Timeline::first_fit(std::int64_t ready, double share) {
  // Work arrives nearly in order of time; what has long ended can't matter.
  constexpr std::int64_t memory = 1'000'000;
  std::erase_if(running_, [&](const Running& r) { return r.slot.end + memory < ready; });
  std::vector<std::int64_t> instants{ready};
  for (const Running& r : running_) {
    if (r.slot.end > ready) instants.push_back(r.slot.end);
  }
  std::sort(instants.begin(), instants.end());
  for (const std::int64_t instant : instants) {
    double used = 0;
    for (const Running& r : running_)
      used += r.slot.begin <= instant && instant < r.slot.end ? r.share : 0;
    if (used + share <= 1.0001) return instant;
  }
  return instants.back();
}

Slot Timeline::copy(QueueTimes& queue, std::int64_t submitted, double seconds, Engine engine) {
  const double gap = queue.last == engine ? 0 : sheet_.engine_switch;
  std::int64_t begin = submitted;
  if (queue.free_at > 0) begin = std::max(begin, queue.free_at + nanoseconds(gap));
  begin = std::max(begin, engine_free_[static_cast<std::size_t>(engine)]);
  const Slot slot{begin, begin + nanoseconds(seconds)};
  engine_free_[static_cast<std::size_t>(engine)] = slot.end;
  queue.free_at = slot.end;
  queue.last = engine;
  return slot;
}

}  // namespace hypatia::sim
