// Unions of intervals, taken one priority after the other: what a union grows by is that part.

#include "gui/model/wall.h"

#include <algorithm>
#include <utility>

namespace hypatia::gui {

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;
using Intervals = std::vector<Interval>;  // sorted and disjoint

int part_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
    case EventKind::copy_on:
    case EventKind::fill:
      return Wall::gpu;
    case EventKind::copy_in:
    case EventKind::copy_out:
      return Wall::transfer;
    case EventKind::sync:
      return Wall::sync;
    case EventKind::launch:
      return Wall::launch;
    case EventKind::compile:
    case EventKind::pass:
      return Wall::compile;
    case EventKind::call:
    case EventKind::step:
      return Wall::host;
    default:
      return -1;
  }
}

void append(Intervals& list, Interval next) {
  if (!list.empty() && next.first <= list.back().second)
    list.back().second = std::max(list.back().second, next.second);
  else
    list.push_back(next);
}

Intervals unite(const Intervals& a, const Intervals& b) {
  Intervals out;
  out.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool first = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    append(out, first ? a[i++] : b[j++]);
  }
  return out;
}

double length(const Intervals& list) {
  double sum = 0;
  for (const auto& [begin, end] : list)
    sum += static_cast<double>(end - begin);
  return sum;
}

}  // namespace

Wall attribute_wall(const Recording& recording) {
  std::array<Intervals, Wall::count> parts;
  for (const Track& track : recording.tracks()) {
    std::array<Intervals, Wall::count> of_track;
    for (const Event& event : track.events())
      if (const int part = part_of(event.kind); part >= 0)
        append(of_track[static_cast<std::size_t>(part)], {event.begin, event.end});
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (!of_track[part].empty()) parts[part] = unite(parts[part], of_track[part]);
  }
  Wall wall;
  Intervals covered;
  double before = 0;
  for (std::size_t part = 0; part < Wall::idle; ++part) {
    covered = unite(covered, parts[part]);
    const double now = length(covered);
    wall.parts[part] = now - before;
    before = now;
  }
  wall.parts[Wall::idle] =
      std::max(0.0, static_cast<double>(recording.end() - recording.begin()) - before);
  return wall;
}

}  // namespace hypatia::gui
