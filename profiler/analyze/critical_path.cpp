// Walks back from the call's end. Waiting is explained by the device work that it waited for,
// device work by what ran before it on its lane or by its launch, and host work by the host's
// earlier work.

#include "profiler/analyze/critical_path.h"

#include <algorithm>
#include <optional>

namespace hypatia {

namespace {

struct CallEvents {
  std::int64_t begin = 0, end = 0;
  std::uint16_t lane = 0;
  std::vector<Event> work;      // on the device, by end
  std::vector<Event> launches;  // by end
  std::vector<Event> steps;     // of the host, by begin
  std::vector<Event> waits;     // by begin
};

bool by_end(const Event& a, const Event& b) {
  return a.end < b.end;
}

CallEvents events_of(const Recording& recording, const Call& call) {
  CallEvents found{call.begin, call.end, call.lane, {}, {}, {}, {}};
  // Device work may end after the call returned; nothing of it explains the call's own end.
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.window(call.begin, call.end)) {
      if (event.call != call.number) continue;
      const Wall wall = wall_of(event.kind);
      if (wall == Wall::kernel || wall == Wall::transfer) found.work.push_back(event);
      if (event.kind == EventKind::launch) found.launches.push_back(event);
      if (event.kind == EventKind::step) found.steps.push_back(event);
      if (event.kind == EventKind::sync) found.waits.push_back(event);
    }
  }
  std::sort(found.work.begin(), found.work.end(), by_end);
  std::sort(found.launches.begin(), found.launches.end(), by_end);
  return found;
}

/// The last of the events (by end) that ended by `time` and for which `fits` holds.
template <typename Fits>
const Event* last_before(const std::vector<Event>& events, std::int64_t time, Fits fits) {
  auto place = std::upper_bound(
      events.begin(), events.end(), time, [](std::int64_t t, const Event& e) { return t < e.end; });
  while (place != events.begin()) {
    --place;
    if (fits(*place)) return &*place;
  }
  return nullptr;
}

const Event* containing(const std::vector<Event>& events, std::int64_t time) {
  for (const Event& event : events) {
    if (event.begin < time && time <= event.end) return &event;
  }
  return nullptr;
}

class Walk {
 public:
  explicit Walk(CallEvents events) : events_(std::move(events)), time_(events_.end) {}

  std::vector<PathPiece> run() {
    // Events without length can stand still; more often than there are events would be a circle.
    std::size_t patience = events_.work.size() + events_.launches.size() + 8;
    while (time_ > events_.begin && patience > 0) {
      const std::int64_t before = time_;
      if (device_) {
        step_back_on_device();
      } else {
        step_back_on_host();
      }
      if (time_ >= before) --patience;
    }
    add(events_.begin, Wall::call, 0, events_.lane);
    std::reverse(pieces_.begin(), pieces_.end());
    return std::move(pieces_);
  }

 private:
  void add(std::int64_t begin, Wall cause, std::uint32_t step, std::uint16_t lane) {
    begin = std::max(begin, events_.begin);
    if (begin < time_) pieces_.push_back({begin, time_, cause, step, lane});
    time_ = std::min(time_, begin);
  }

  void step_back_on_host() {
    if (const Event* wait = containing(events_.waits, time_)) {
      const Event* work =
          last_before(events_.work, time_, [&](const Event& e) { return e.end > wait->begin; });
      // The wait itself is on the path from the end of the work that it waited for.
      add(work ? work->end : wait->begin, Wall::sync, wait->step, wait->lane);
      device_ = work;
      return;
    }
    const Event* launch = containing(events_.launches, time_);
    const Event* step = containing(events_.steps, time_);
    const Event* inner = launch ? launch : step;
    const std::int64_t edge = last_edge();
    if (inner) {
      add(std::max(edge, inner->begin), wall_of(inner->kind), inner->step, inner->lane);
    } else {
      add(edge, Wall::call, 0, events_.lane);
    }
  }

  /// The last moment before now at which the host began or ended something.
  std::int64_t last_edge() const {
    std::int64_t edge = events_.begin;
    for (const std::vector<Event>* list : {&events_.steps, &events_.waits, &events_.launches}) {
      for (const Event& event : *list) {
        if (event.end < time_) edge = std::max(edge, event.end);
        if (event.begin < time_) edge = std::max(edge, event.begin);
      }
    }
    return edge;
  }

  void step_back_on_device() {
    const Event work = *device_;
    device_ = nullptr;
    add(work.begin, wall_of(work.kind), work.step, work.lane);
    const Event* earlier =
        last_before(events_.work, work.begin, [&](const Event& e) { return e.begin < work.begin; });
    const Event* launch = last_before(
        events_.launches, work.begin, [&](const Event& e) { return e.step == work.step; });
    if (earlier && (!launch || earlier->end >= launch->end)) {
      add(earlier->end, Wall::launch, work.step, work.lane);
      device_ = earlier;
    } else if (launch) {
      add(launch->end, Wall::launch, work.step, work.lane);
    }
  }

  CallEvents events_;
  std::int64_t time_;
  const Event* device_ = nullptr;
  std::vector<PathPiece> pieces_;
};

}  // namespace

CriticalPath critical_path(const Recording& recording, std::uint32_t number) {
  CriticalPath path;
  const Call* call = recording.call(number);
  if (!call) return path;
  path.call = number;
  path.pieces = Walk(events_of(recording, *call)).run();
  for (const PathPiece& piece : path.pieces) {
    path.times[piece.cause] += static_cast<double>(piece.end - piece.begin);
  }
  return path;
}

std::uint32_t median_call(const Recording& recording, std::uint32_t function) {
  std::vector<const Call*> calls;
  for (const Call& call : recording.calls()) {
    if (call.function == function) calls.push_back(&call);
  }
  if (calls.empty()) return 0;
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>(calls.size() / 2);
  std::nth_element(calls.begin(), middle, calls.end(), [](const Call* a, const Call* b) {
    return a->end - a->begin < b->end - b->begin;
  });
  return (*middle)->number;
}

}  // namespace hypatia
