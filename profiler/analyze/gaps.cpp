#include "profiler/analyze/gaps.h"

#include <algorithm>
#include <map>

#include "profiler/analyze/parts.h"

namespace hypatia {

namespace {

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Merged busy intervals by device.
std::map<std::string, Spans> busy_spans(const Recording& recording) {
  std::map<std::string, Spans> devices;
  for (const Track& track : recording.tracks()) {
    const LaneRecord& lane = *recording.lane(track.lane());
    for (const Event& event : track.events()) {
      const Wall wall = wall_of(event.kind);
      if (wall != Wall::kernel && wall != Wall::transfer) continue;
      devices[lane.device].emplace_back(event.begin, event.end);
    }
  }
  for (auto& [device, spans] : devices) {
    std::sort(spans.begin(), spans.end());
    Spans merged;
    for (const auto& span : spans) {
      if (!merged.empty() && span.first <= merged.back().second) {
        merged.back().second = std::max(merged.back().second, span.second);
      } else {
        merged.push_back(span);
      }
    }
    spans = std::move(merged);
  }
  return devices;
}

struct HostView {
  KindTimes busy{};
  std::uint32_t longest_step = 0;
};

/// What host lanes did in a window; the step that covers most of it. Only its first thousand steps
/// are looked at, so that a long pause costs no more than a short one.
HostView host_during(const Recording& recording, std::int64_t begin, std::int64_t end) {
  HostView view;
  std::int64_t longest = 0;
  for (const Track& track : recording.tracks()) {
    const LaneRecord::Kind kind = recording.lane(track.lane())->kind;
    if (kind == LaneRecord::Kind::stream) continue;
    const KindTimes busy = track.busy(begin, end);
    for (std::size_t k = 0; k < busy.size(); ++k)
      view.busy[k] += busy[k];
    std::size_t looked_at = 0;
    for (const Event& event : track.window(begin, end)) {
      if (++looked_at > 1000) break;
      const std::int64_t covered = std::min(end, event.end) - std::max(begin, event.begin);
      if (event.kind != EventKind::step || covered <= longest) continue;
      longest = covered;
      view.longest_step = event.step;
    }
  }
  return view;
}

void explain(const Recording& recording, Gap& gap) {
  const HostView host = host_during(recording, gap.begin, gap.end);
  const auto of = [&](EventKind kind) { return host.busy[static_cast<std::size_t>(kind)]; };
  const std::int64_t half = (gap.end - gap.begin) / 2;
  gap.step = host.longest_step;
  if (of(EventKind::compile) > half) {
    gap.cause = GapCause::compile;
  } else if (of(EventKind::call) < half) {
    gap.cause = GapCause::between_calls;
  } else if (of(EventKind::launch) > half) {
    gap.cause = GapCause::launch_latency;
  } else if (of(EventKind::sync) > half) {
    gap.cause = GapCause::sync;
  } else if (of(EventKind::step) > half) {
    gap.cause = GapCause::host_busy;
  } else {
    gap.cause = GapCause::nothing_queued;
  }
}

}  // namespace

const char* name(GapCause cause) {
  static constexpr const char* names[] = {
      "the host worked",
      "the host waited",
      "a launch was under way",
      "the host compiled",
      "no call was running",
      "the call was outside its steps",
  };
  return names[static_cast<std::size_t>(cause)];
}

std::vector<Gap> find_gaps(const Recording& recording, std::int64_t least, std::size_t most) {
  std::vector<Gap> gaps;
  for (const auto& [device, spans] : busy_spans(recording)) {
    for (std::size_t i = 1; i < spans.size(); ++i) {
      const std::int64_t begin = spans[i - 1].second, end = spans[i].first;
      if (end - begin >= least) gaps.push_back({begin, end, device});
    }
  }
  const auto longer = [](const Gap& a, const Gap& b) { return a.end - a.begin > b.end - b.begin; };
  const std::size_t kept = std::min(most, gaps.size());
  std::partial_sort(
      gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(kept), gaps.end(), longer);
  gaps.resize(kept);
  for (Gap& gap : gaps)
    explain(recording, gap);
  return gaps;
}

std::vector<Occupation> device_occupation(const Recording& recording) {
  std::vector<Occupation> result;
  for (const auto& [device, spans] : busy_spans(recording)) {
    if (spans.empty()) continue;
    Occupation& occupation = result.emplace_back();
    occupation.device = device;
    occupation.begin = spans.front().first;
    occupation.end = spans.back().second;
    for (const auto& [begin, end] : spans)
      occupation.busy += end - begin;
  }
  return result;
}

}  // namespace hypatia
