// Plans are few: each is walked once, and a step's id leads to its bytes.

#include "gui/model/live_memory.h"

#include <algorithm>

namespace hypatia::gui {

namespace {

// Counting the steps among the first events of a track is enough to tell tracks apart.
int track_of_steps(const Recording& recording) {
  constexpr std::size_t looked_at = 20'000;
  int best = -1;
  std::size_t most = 0;
  const std::span<const Track> tracks = recording.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto events = tracks[t].events();
    const auto steps = static_cast<std::size_t>(std::count_if(
        events.begin(),
        events.begin() + static_cast<std::ptrdiff_t>(std::min(events.size(), looked_at)),
        [](const Event& event) { return event.kind == EventKind::step; }));
    if (steps <= most) continue;
    most = steps;
    best = static_cast<int>(t);
  }
  return best;
}

}  // namespace

LiveMemory::LiveMemory(const Recording& recording) {
  for (const PlanRecord& plan : recording.plans()) {
    const std::vector<LiveBytes> live = live_bytes(plan);
    LiveBytes peak;
    for (const LiveBytes& bytes : live)
      if (bytes.total() > peak.total()) peak = bytes;
    during_.insert(during_.end(), live.begin(), live.end());
    peaks_.insert(peaks_.end(), live.size(), peak);
    if (peak.total() > most_.total()) most_ = peak;
  }
  if (most_.total() > 0) track_ = track_of_steps(recording);
}

LiveBytes LiveMemory::during(std::uint32_t step) const {
  return step == 0 || step > during_.size() ? LiveBytes{} : during_[step - 1];
}

LiveBytes LiveMemory::peak(std::uint32_t step) const {
  return step == 0 || step > peaks_.size() ? LiveBytes{} : peaks_[step - 1];
}

}  // namespace hypatia::gui
