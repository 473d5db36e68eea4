#pragma once
// How long each run of one node took, for histograms.

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// One run: its duration, and where its event is.
struct NodeRun {
  double time = 0;  // nanoseconds
  std::uint32_t call = 0;
  std::int32_t track = 0;
  std::int64_t event = 0;
};

struct NodeTimes {
  std::vector<NodeRun> runs;  // in order of tracks and time; at most 4 million
  const char* what = "";      // "kernel", "copy", "step": whose durations these are
  double least = 0, most = 0, mean = 0, deviation = 0;
  double median = 0, p75 = 0, p90 = 0, p99 = 0;
};

/// The node's kernels or copies; its steps on the host if it has none of these.
NodeTimes node_times(const Profile& profile, int node);

/// How many runs fall between each two of `edges`, and their time; edges ascend.
struct Histogram {
  std::vector<double> edges;
  std::vector<double> counts, times;  // one less than edges
};

Histogram make_histogram(const NodeTimes& times, int bins, bool logarithmic);

}  // namespace hypatia::gui
