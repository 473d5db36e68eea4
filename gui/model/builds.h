#pragma once
// What happened before the first call: rewrite passes one by one, and everything that was compiled.

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// A rewrite pass or a compilation.
struct BuildStep {
  std::string name;
  double begin = 0;  // nanoseconds from the first event
  double time = 0;
  int track = 0;
  std::int64_t event = 0;
};

struct Builds {
  std::vector<BuildStep> passes;    // in order
  std::vector<BuildStep> compiles;  // the longest first
  double pass_time = 0, compile_time = 0;
};

/// At most 20,000 of each; the times are of all.
Builds find_builds(const Profile& profile);

}  // namespace hypatia::gui
