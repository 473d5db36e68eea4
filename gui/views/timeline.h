#pragma once
// What the timeline's two halves share: the mapping of time to pixels, and the event under the
// mouse.

#include <algorithm>

#include "gui/views/draw.h"

namespace hypatia::gui {

/// The visible piece of time; nanoseconds from the first event.
struct TimeWindow {
  double begin = 0, end = 1;
  float left = 0, right = 1;  // pixels

  double per_pixel() const {
    return (end - begin) / std::max(1.0, static_cast<double>(right - left));
  }

  float x(double time) const {
    const double share = (time - begin) / (end - begin);
    return left + static_cast<float>(std::clamp(share, -1.0, 2.0)) * (right - left);
  }

  double time(float pixel) const { return begin + static_cast<double>(pixel - left) * per_pixel(); }
};

/// An event by the track it is on and its position there.
struct EventPlace {
  int track = -1;
  std::int64_t event = -1;

  explicit operator bool() const { return track >= 0; }
};

/// The event, null if the place is not one of the recording.
const Event* find_event(const Recording& recording, EventPlace place);

/// The tone that tells an event's kind.
Tone tone_of(EventKind kind);

/// Draws all lanes from `top` on; what is under the mouse goes to `hit`. Returns the height used.
float draw_lanes(
    AppState& state, const Canvas& canvas, const TimeWindow& window, float top, EventPlace& hit);

/// The height that draw_lanes will use.
float lanes_height(const Recording& recording);

/// The lane below them: memory of the plans over time. Without plans that hold any, 0 high.
void draw_memory_lane(AppState& state, const Canvas& canvas, const TimeWindow& window, float top);
float memory_lane_height(AppState& state);

/// What else the selected event's step did: launch, kernel, copies, wait. At most 64.
std::vector<EventPlace> related_events(const Recording& recording, EventPlace place);

}  // namespace hypatia::gui
