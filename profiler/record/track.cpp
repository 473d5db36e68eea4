// Splits a lane's events by depth of nesting and answers windows of time by binary search.

#include <algorithm>
#include <atomic>
#include <thread>

#include "profiler/record/recording.h"

namespace hypatia {

namespace {

constexpr std::size_t group = 64;  // events between two stored sums

std::size_t index_of(EventKind kind) {
  return static_cast<std::size_t>(kind);
}

bool outer_first(const Event& a, const Event& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

/// Stamps of neighbouring kernels on one stream may overlap by a few ticks of the device's clock.
void clamp_overlaps(std::vector<Event>& events) {
  constexpr std::int64_t tolerance = 200;
  for (std::size_t i = 1; i < events.size(); ++i) {
    const std::int64_t last = events[i - 1].end;
    if (events[i].begin < last && last - events[i].begin <= tolerance && events[i].end > last) {
      events[i].begin = last;
    }
  }
}

/// What a thread does inside of a call is the call's, also where nobody said so.
void adopt(std::vector<Event>& events) {
  const Event* call = nullptr;
  for (Event& event : events) {
    if (event.kind == EventKind::call) {
      call = &event;
    } else if (event.call == 0 && call && event.end <= call->end) {
      event.call = call->call;
    }
  }
}

/// The events of each depth: an event lies one below those that it overlaps. What would lie deeper
/// than any program nests is damage; it is left out and counted.
std::vector<std::vector<Event>> by_depth(std::vector<Event> events, std::int64_t& dropped) {
  constexpr std::size_t deepest = 64;
  std::vector<std::uint8_t> depth_of(events.size());
  std::vector<std::int64_t> ends;  // of the last event of each depth
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::size_t depth = 0;
    while (depth < ends.size() && ends[depth] > events[i].begin)
      ++depth;
    depth_of[i] = static_cast<std::uint8_t>(depth);
    if (depth == deepest) {
      ++dropped;
      continue;
    }
    if (depth == ends.size()) {
      ends.emplace_back();
      counts.emplace_back();
    }
    ends[depth] = events[i].end;
    ++counts[depth];
  }
  std::vector<std::vector<Event>> depths(counts.size());
  // Most lanes are flat, and keep their memory.
  if (counts.size() == 1 && dropped == 0) {
    depths[0] = std::move(events);
    return depths;
  }
  for (std::size_t depth = 0; depth < counts.size(); ++depth)
    depths[depth].reserve(counts[depth]);
  for (std::size_t i = 0; i < events.size(); ++i)
    if (depth_of[i] < deepest) depths[depth_of[i]].push_back(events[i]);
  return depths;
}

}  // namespace

Track::Track(std::uint16_t lane, int depth, std::vector<Event> events)
    : lane_(lane), depth_(depth), events_(std::move(events)) {
  KindTimes sum{};
  sums_.reserve(events_.size() / group + 1);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (i % group == 0) sums_.push_back(sum);
    sum[index_of(events_[i].kind)] += events_[i].end - events_[i].begin;
  }
}

std::span<const Event> Track::window(std::int64_t begin, std::int64_t end) const {
  const auto first = std::partition_point(events_.begin(), events_.end(), [&](const Event& e) {
    return e.end <= begin && e.begin < begin;
  });
  const auto last =
      std::partition_point(first, events_.end(), [&](const Event& e) { return e.begin < end; });
  return {first, last};
}

KindTimes Track::before(std::size_t position) const {
  if (events_.empty()) return {};
  const std::size_t start = std::min(position / group, sums_.size() - 1);
  KindTimes sum = sums_[start];
  for (std::size_t i = start * group; i < position; ++i) {
    sum[index_of(events_[i].kind)] += events_[i].end - events_[i].begin;
  }
  return sum;
}

KindTimes Track::busy(std::int64_t begin, std::int64_t end) const {
  const std::span<const Event> inside = window(begin, end);
  if (inside.empty()) return {};
  const auto first = static_cast<std::size_t>(inside.data() - events_.data());
  KindTimes times = before(first + inside.size());
  const KindTimes earlier = before(first);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] -= earlier[k];
  const Event& head = inside.front();
  const Event& tail = inside.back();
  times[index_of(head.kind)] -= std::max<std::int64_t>(0, begin - head.begin);
  times[index_of(tail.kind)] -= std::max<std::int64_t>(0, tail.end - end);
  return times;
}

namespace {

/// One lane's tracks, and what it had to leave out.
struct SplitLane {
  std::vector<Track> tracks;
  std::int64_t dropped = 0;
};

SplitLane split_lane(std::uint16_t id, LaneRecord::Kind kind, std::vector<Event> events) {
  if (!std::is_sorted(events.begin(), events.end(), outer_first)) {
    std::sort(events.begin(), events.end(), outer_first);
  }
  if (kind == LaneRecord::Kind::host_thread) {
    adopt(events);
  } else {
    clamp_overlaps(events);
  }
  SplitLane split;
  int depth = 0;
  for (std::vector<Event>& level : by_depth(std::move(events), split.dropped)) {
    split.tracks.emplace_back(id, depth++, std::move(level));
  }
  return split;
}

/// Runs work(0) … work(count - 1) on as many threads as help.
template <typename Work>
void in_parallel(std::size_t count, bool worthwhile, Work work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::thread> helpers;
  const std::size_t most = std::min<std::size_t>(count, std::thread::hardware_concurrency());
  for (std::size_t i = 1; worthwhile && i < most; ++i)
    helpers.emplace_back(take);
  take();
  for (std::thread& helper : helpers)
    helper.join();
}

}  // namespace

void Recording::build_tracks() {
  std::vector<std::vector<Event>> lanes(data_.lanes.size());
  std::vector<std::size_t> counts(data_.lanes.size());
  for (const Event& event : data_.events)
    ++counts[event.lane - 1u];
  for (std::size_t i = 0; i < lanes.size(); ++i)
    lanes[i].reserve(counts[i]);
  for (const Event& event : data_.events)
    lanes[event.lane - 1u].push_back(event);
  data_.events = std::vector<Event>();  // {} would keep the memory

  constexpr std::size_t many = 1 << 18;
  std::vector<SplitLane> split(lanes.size());
  in_parallel(lanes.size(), event_count_ > many, [&](std::size_t i) {
    const auto id = static_cast<std::uint16_t>(i + 1);
    split[i] = split_lane(id, data_.lanes[i].kind, std::move(lanes[i]));
  });
  for (SplitLane& lane : split) {
    lane_tracks_.push_back(tracks_.size());
    for (Track& track : lane.tracks)
      tracks_.push_back(std::move(track));
    data_.header.dropped += lane.dropped;
    event_count_ -= static_cast<std::size_t>(lane.dropped);
  }
  lane_tracks_.push_back(tracks_.size());

  bool any = false;
  for (const Track& track : tracks_) {
    begin_ = any ? std::min(begin_, track.events().front().begin) : track.events().front().begin;
    end_ = std::max(end_, track.events().back().end);
    any = true;
  }
}

}  // namespace hypatia
