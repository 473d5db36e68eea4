#pragma once
// Everything that was compiled, the longest first.

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// A compilation.
struct BuildStep {
  std::string name;
  double begin = 0;  // nanoseconds from the first event
  double time = 0;
  int track = 0;
  std::int64_t event = 0;
};

struct Builds {
  std::vector<BuildStep> compiles;
  double compile_time = 0;
};

/// At most 20,000; the time is of all.
Builds find_builds(const Profile& profile);

}  // namespace hypatia::gui
