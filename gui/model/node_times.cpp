// One pass over the tracks for the steps that contain the node.

#include "gui/model/node_times.h"

#include <algorithm>
#include <cmath>

namespace hypatia::gui {

namespace {

constexpr std::size_t most_runs = 4'000'000;

std::vector<bool> steps_with(const Profile& profile, NodeId id) {
  std::vector<bool> wanted(profile.recording->steps().size() + 1);
  for (const RecordedStep& step : profile.recording->steps())
    if (step.function == id.function)
      for (const StepShare& share : step.record->nodes)
        if (share.node == id.node) wanted[step.id] = true;
  return wanted;
}

enum class What { kernel, copy, step };

What what_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
    case EventKind::fill:
    case EventKind::copy_on:
      return What::kernel;
    case EventKind::copy_in:
    case EventKind::copy_out:
      return What::copy;
    default:
      return What::step;
  }
}

void collect(NodeTimes& times, const Profile& profile, const std::vector<bool>& wanted, What what) {
  const std::span<const Track> tracks = profile.recording->tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const std::span<const Event> events = tracks[t].events();
    for (std::size_t i = 0; i < events.size() && times.runs.size() < most_runs; ++i) {
      const Event& event = events[i];
      if (event.step == 0 || event.step >= wanted.size() || !wanted[event.step]) continue;
      if (what_of(event.kind) != what) continue;
      if (what == What::step && event.kind != EventKind::step) continue;
      times.runs.push_back(
          {static_cast<double>(event.end - event.begin),
           event.call,
           static_cast<std::int32_t>(t),
           static_cast<std::int64_t>(i)});
    }
  }
}

void describe(NodeTimes& times) {
  if (times.runs.empty()) return;
  std::vector<double> sorted;
  double sum = 0;
  for (const NodeRun& run : times.runs) {
    sorted.push_back(run.time);
    sum += run.time;
  }
  std::sort(sorted.begin(), sorted.end());
  times.least = sorted.front();
  times.most = sorted.back();
  times.mean = sum / static_cast<double>(sorted.size());
  double squares = 0;
  for (const double time : sorted)
    squares += (time - times.mean) * (time - times.mean);
  times.deviation = std::sqrt(squares / static_cast<double>(sorted.size()));
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  times.median = at(0.5);
  times.p75 = at(0.75);
  times.p90 = at(0.9);
  times.p99 = at(0.99);
}

}  // namespace

NodeTimes node_times(const Profile& profile, int node) {
  NodeTimes times;
  if (node < 0 || node >= static_cast<int>(profile.nodes.size())) return times;
  const std::vector<bool> wanted = steps_with(profile, profile.node(node).id);
  const std::pair<What, const char*> kinds[] = {
      {What::kernel, "kernel"}, {What::copy, "copy"}, {What::step, "step on the host"}};
  for (const auto& [what, word] : kinds) {
    collect(times, profile, wanted, what);
    times.what = word;
    if (!times.runs.empty()) break;
  }
  describe(times);
  return times;
}

Histogram make_histogram(const NodeTimes& times, int bins, bool logarithmic) {
  Histogram histogram;
  if (times.runs.empty() || bins < 1) return histogram;
  const double low = std::max(times.least * 0.98, logarithmic ? 1.0 : 0.0);
  const double high = std::max(times.most * 1.02, low * 1.0001 + 1);
  for (int i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / bins;
    histogram.edges.push_back(
        logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share);
  }
  histogram.counts.resize(static_cast<std::size_t>(bins));
  histogram.times.resize(static_cast<std::size_t>(bins));
  for (const NodeRun& run : times.runs) {
    const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), run.time);
    const auto bin = std::clamp<std::ptrdiff_t>(above - histogram.edges.begin() - 1, 0, bins - 1);
    ++histogram.counts[static_cast<std::size_t>(bin)];
    histogram.times[static_cast<std::size_t>(bin)] += run.time;
  }
  return histogram;
}

}  // namespace hypatia::gui
