// A sweep over all tracks at once: a track has at most one event at any moment, so that the best of
// all tracks is found among as many candidates as there are tracks.

#include "profiler/analyze/wall.h"

#include <algorithm>
#include <queue>

namespace hypatia {

namespace {

/// A place in a track, and whether its event goes on.
struct Cursor {
  std::span<const Event> events;
  std::size_t next = 0;
  bool active = false;

  std::int64_t boundary() const {
    const Event& event = events[next];
    return active ? event.end : event.begin;
  }
};

struct Boundary {
  std::int64_t time;
  std::size_t cursor;

  bool operator>(const Boundary& other) const { return time > other.time; }
};

class Sweep {
 public:
  explicit Sweep(const Recording& recording) : recording_(recording) {
    credits_.steps.resize(recording.steps().size());
    credits_.functions.resize(recording.functions().size());
    for (const Track& track : recording.tracks()) {
      if (track.events().empty()) continue;
      cursors_.push_back({track.events()});
      boundaries_.push({cursors_.back().boundary(), cursors_.size() - 1});
    }
  }

  WallCredits run() {
    std::int64_t time = recording_.begin();
    while (!boundaries_.empty()) {
      const auto [at, index] = boundaries_.top();
      boundaries_.pop();
      if (at > time) credit(static_cast<double>(at - time));
      time = std::max(time, at);
      Cursor& cursor = cursors_[index];
      if (cursor.active) ++cursor.next;
      cursor.active = !cursor.active;
      if (cursor.next < cursor.events.size()) boundaries_.push({cursor.boundary(), index});
    }
    return std::move(credits_);
  }

 private:
  void credit(double nanoseconds) {
    const Event* best = nullptr;
    Wall cause = Wall::outside;
    for (const Cursor& cursor : cursors_) {
      if (!cursor.active || cursor.next >= cursor.events.size()) continue;
      const Event& event = cursor.events[cursor.next];
      const Wall wall = wall_of(event.kind);
      if (wall < cause || (best && wall == cause && event.begin < best->begin)) {
        best = &event;
        cause = wall;
      }
    }
    if (!best) {
      credits_.outside[Wall::outside] += nanoseconds;
    } else if (best->step) {
      credits_.steps[best->step - 1][cause] += nanoseconds;
    } else if (const std::uint32_t function = recording_.function_of(*best)) {
      credits_.functions[function - 1][cause] += nanoseconds;
    } else {
      credits_.outside[cause] += nanoseconds;
    }
  }

  const Recording& recording_;
  std::vector<Cursor> cursors_;
  std::priority_queue<Boundary, std::vector<Boundary>, std::greater<>> boundaries_;
  WallCredits credits_;
};

}  // namespace

WallCredits credit_wall(const Recording& recording) {
  return Sweep(recording).run();
}

}  // namespace hypatia
