// Launches and ends are sorted and met in order of time.

#include "gui/model/queue.h"

#include <algorithm>
#include <unordered_map>

namespace hypatia::gui {

namespace {

constexpr std::size_t most_works = 1'000'000;

bool is_work(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy_in || kind == EventKind::copy_out ||
         kind == EventKind::copy_on || kind == EventKind::fill;
}

std::uint64_t key_of(const Event& event) {
  return (std::uint64_t{event.call} << 32) | event.step;
}

/// What changes the queue's length, when.
struct LengthChange {
  std::int64_t time;
  int by;
};

std::vector<LengthChange> changes_of(const Recording& recording, bool& whole) {
  std::unordered_map<std::uint64_t, std::int64_t> launches;  // the first of a call's step
  std::size_t works = 0;
  for (const Track& track : recording.tracks())
    for (const Event& event : track.events()) {
      if (event.kind == EventKind::launch && event.step && launches.size() < most_works)
        launches.emplace(key_of(event), event.begin);
      works += is_work(event.kind);
    }
  whole = works <= most_works;
  std::vector<LengthChange> changes;
  for (const Track& track : recording.tracks())
    for (const Event& event : track.events()) {
      if (!is_work(event.kind) || changes.size() >= 2 * most_works) continue;
      const auto launch = launches.find(key_of(event));
      if (launch == launches.end() || launch->second > event.end) continue;
      changes.push_back({launch->second, 1});
      changes.push_back({event.end, -1});
    }
  std::sort(changes.begin(), changes.end(), [](const LengthChange& a, const LengthChange& b) {
    return a.time != b.time ? a.time < b.time : a.by < b.by;
  });
  return changes;
}

}  // namespace

QueueCurve queue_curve(const Recording& recording, int pieces) {
  QueueCurve curve;
  curve.most.resize(static_cast<std::size_t>(std::max(pieces, 1)));
  const double length =
      std::max<double>(1, static_cast<double>(recording.end() - recording.begin()));
  const auto count = static_cast<double>(curve.most.size());
  int now = 0;
  std::size_t reached = 0;
  for (const LengthChange& change : changes_of(recording, curve.whole)) {
    const double share = static_cast<double>(change.time - recording.begin()) / length;
    const auto piece = static_cast<std::size_t>(std::clamp(share * count, 0.0, count - 1));
    // Until the next change the queue stays as long as it is.
    for (; reached < piece; ++reached)
      curve.most[reached + 1] = std::max(curve.most[reached + 1], now);
    now += change.by;
    curve.most[piece] = std::max(curve.most[piece], now);
    curve.longest = std::max(curve.longest, now);
  }
  return curve;
}

}  // namespace hypatia::gui
