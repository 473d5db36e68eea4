#pragma once
// How much work had been handed to the devices and was not done, over time.

#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

struct QueueCurve {
  std::vector<int> most;  // the longest queue in each of equal pieces of the recording
  int longest = 0;
  bool whole = true;  // false: only the first million kernels and copies were looked at
};

/// A kernel or copy waits from its launch to its end; one whose launch is unknown is left out.
QueueCurve queue_curve(const Recording& recording, int pieces);

}  // namespace hypatia::gui
