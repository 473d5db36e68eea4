#pragma once
// Memory over time: what the plan of each step keeps alive while it runs.

#include <cstdint>
#include <vector>

#include "gui/app/base.h"
#include "profiler/analyze/memory.h"

namespace hypatia::gui {

/// Live bytes of a recording's steps, and where in time those steps are.
class LiveMemory {
 public:
  LiveMemory() = default;
  explicit LiveMemory(const Recording& recording);

  /// The track that holds the most steps; -1 if none does, or if no plan has buffers.
  int track() const { return track_; }

  /// The most that any plan keeps alive at once.
  const LiveBytes& most() const { return most_; }

  /// During a step, and at its plan's peak; nothing for an unknown id.
  LiveBytes during(std::uint32_t step) const;
  LiveBytes peak(std::uint32_t step) const;

 private:
  std::vector<LiveBytes> during_, peaks_;  // by step id - 1
  LiveBytes most_;
  int track_ = -1;
};

}  // namespace hypatia::gui
