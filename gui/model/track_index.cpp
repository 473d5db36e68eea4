// Two passes over the track: which kinds there are, then sums and grid.

#include "gui/model/track_index.h"

#include <algorithm>

namespace hypatia::gui {

TrackIndex::TrackIndex(const Track& track, std::int64_t begin, std::int64_t end)
    : track_(&track), begin_(begin) {
  const std::span<const Event> events = track.events();
  constexpr std::uint8_t none = 255;
  slot_.fill(none);
  for (const Event& event : events) {
    std::uint8_t& slot = slot_[static_cast<std::size_t>(event.kind)];
    if (slot != none) continue;
    slot = static_cast<std::uint8_t>(kinds_.size());
    kinds_.push_back(event.kind);
  }
  std::vector<std::int64_t> sum(kinds_.size());
  sums_.reserve((events.size() / group + 1) * kinds_.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i % group == 0) sums_.insert(sums_.end(), sum.begin(), sum.end());
    sum[slot_[static_cast<std::size_t>(events[i].kind)]] += events[i].end - events[i].begin;
  }
  const std::size_t cells = std::clamp<std::size_t>(events.size() / 16, 16, 1 << 18);
  cell_ = std::max<std::int64_t>(1, (end - begin) / static_cast<std::int64_t>(cells) + 1);
  grid_.reserve(cells + 1);
  std::size_t at = 0;
  for (std::size_t i = 0; i <= cells; ++i) {
    const std::int64_t time = begin + cell_ * static_cast<std::int64_t>(i);
    while (at < events.size() && events[at].end <= time)
      ++at;
    grid_.push_back(static_cast<std::uint32_t>(at));
  }
}

std::size_t TrackIndex::position(std::int64_t time) const {
  const std::span<const Event> events = track_->events();
  if (time < begin_) return 0;
  const auto cell = static_cast<std::size_t>((time - begin_) / cell_);
  const std::size_t low = grid_[std::min(cell, grid_.size() - 1)];
  const std::size_t high = cell + 1 < grid_.size() ? grid_[cell + 1] : events.size();
  const auto found = std::partition_point(
      events.begin() + static_cast<std::ptrdiff_t>(low),
      events.begin() + static_cast<std::ptrdiff_t>(std::max(low, high)),
      [&](const Event& event) { return event.end <= time; });
  return static_cast<std::size_t>(found - events.begin());
}

void TrackIndex::sums(std::int64_t time, std::size_t at, std::vector<double>& out) const {
  const std::span<const Event> events = track_->events();
  out.assign(kinds_.size(), 0);
  if (events.empty()) return;
  const std::size_t first = std::min(at, events.size() - 1) / group;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    out[kind] = static_cast<double>(sums_[first * kinds_.size() + kind]);
  const auto add = [&](const Event& event, std::int64_t end) {
    out[slot_[static_cast<std::size_t>(event.kind)]] += static_cast<double>(end - event.begin);
  };
  for (std::size_t i = first * group; i < at; ++i)
    add(events[i], events[i].end);
  if (at < events.size() && events[at].begin < time) add(events[at], time);
}

}  // namespace hypatia::gui
