// One walk over all events.

#include "gui/model/builds.h"

#include <algorithm>

namespace hypatia::gui {

Builds find_builds(const Profile& profile) {
  Builds builds;
  const Recording& recording = *profile.recording;
  for (std::size_t t = 0; t < recording.tracks().size(); ++t) {
    const std::span<const Event> events = recording.tracks()[t].events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      if (event.kind != EventKind::compile) continue;
      const auto time = static_cast<double>(event.end - event.begin);
      builds.compile_time += time;
      if (builds.compiles.size() >= 20'000) continue;
      builds.compiles.push_back(
          {recording.name_of(event),
           static_cast<double>(event.begin - recording.begin()),
           time,
           static_cast<int>(t),
           static_cast<std::int64_t>(i)});
    }
  }
  std::stable_sort(
      builds.compiles.begin(), builds.compiles.end(), [](const auto& a, const auto& b) {
        return a.time > b.time;
      });
  return builds;
}

}  // namespace hypatia::gui
