// One pass over the host's lanes.

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
      if (event.kind != EventKind::pass && event.kind != EventKind::compile) continue;
      const bool pass = event.kind == EventKind::pass;
      const auto time = static_cast<double>(event.end - event.begin);
      (pass ? builds.pass_time : builds.compile_time) += time;
      std::vector<BuildStep>& list = pass ? builds.passes : builds.compiles;
      if (list.size() >= 20'000) continue;
      list.push_back(
          {recording.name_of(event),
           static_cast<double>(event.begin - recording.begin()),
           time,
           static_cast<int>(t),
           static_cast<std::int64_t>(i)});
    }
  }
  std::stable_sort(builds.passes.begin(), builds.passes.end(), [](const auto& a, const auto& b) {
    return a.begin < b.begin;
  });
  std::stable_sort(
      builds.compiles.begin(), builds.compiles.end(), [](const auto& a, const auto& b) {
        return a.time > b.time;
      });
  return builds;
}

}  // namespace hypatia::gui
