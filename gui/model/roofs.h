#pragma once
// The ceilings of the machine's devices, and where a node stands under them.

#include <algorithm>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// What a device, or the link to it, can do a second.
struct Roof {
  std::string name;  // "cpu", "cuda0", "link"
  Side side;         // transfer: the link
  double flops, bandwidth;
  double cache = 0;  // bandwidth of its caches; 0: unknown

  /// The most operations a second at this many operations per byte.
  double at(double intensity) const { return std::min(flops, bandwidth * intensity); }
};

std::vector<Roof> roofs_of(const Recording& recording);

/// A node's operations per byte, and operations a second.
struct RoofDot {
  int node = -1;
  double intensity = 0, flops = 0;
};

/// Without a node if the node states no operations or no bytes, or took no time.
RoofDot roof_dot(const Profile& profile, int node);

}  // namespace hypatia::gui
