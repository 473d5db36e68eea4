#include "profiler/cupti/clock.h"

#include <algorithm>

#include "engine/trace/clock.h"

namespace hypatia::cupti {

void ClockMap::add_anchor(const Api& api) {
  std::int64_t best_device = 0, best_host = 0, best = INT64_MAX;
  for (int i = 0; i < 50; ++i) {
    const std::int64_t before = now();
    std::uint64_t device = 0;
    if (api.get_timestamp(&device) != result::success) return;
    const std::int64_t after = now();
    if (after - before >= best) continue;
    best = after - before;
    best_device = static_cast<std::int64_t>(device);
    best_host = before + best / 2;
  }
  add_anchor(best_device, best_host, best);
}

void ClockMap::add_anchor(std::int64_t device, std::int64_t host, std::int64_t bracket) {
  error_ = std::max(error_, bracket / 2);
  // A wall clock that was set back would make the map ambiguous: the newer reading counts.
  while (!anchors_.empty() && anchors_.back().device >= device)
    anchors_.pop_back();
  anchors_.push_back({device, host});
}

std::int64_t ClockMap::to_host(std::uint64_t stamp) const {
  const auto time = static_cast<std::int64_t>(stamp);
  if (anchors_.empty()) return time;
  const auto after = std::upper_bound(
      anchors_.begin(), anchors_.end(), time, [](std::int64_t t, const Anchor& anchor) {
        return t < anchor.device;
      });
  if (after == anchors_.begin()) return time - after->device + after->host;
  const Anchor& left = *(after - 1);
  if (after == anchors_.end()) return time - left.device + left.host;
  const auto part =
      static_cast<double>(time - left.device) / static_cast<double>(after->device - left.device);
  return left.host + static_cast<std::int64_t>(part * static_cast<double>(after->host - left.host));
}

}  // namespace hypatia::cupti
