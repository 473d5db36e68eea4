#pragma once
// Answers "how much of each kind ran until this moment" for one track at the price of a few cache
// lines, so that a timeline of any length draws at once.

#include <array>
#include <cstdint>
#include <vector>

#include "gui/app/base.h"

namespace hypatia::gui {

/// The kinds that a track holds, few as a rule, and sums of their times before every 16th event.
/// Also a grid over time, which says where in the track a moment is.
class TrackIndex {
 public:
  /// `track` must outlive the index.
  TrackIndex(const Track& track, std::int64_t begin, std::int64_t end);

  const std::vector<EventKind>& kinds() const { return kinds_; }

  /// The position of the first event that ends after `time`; the number of events if none does.
  std::size_t position(std::int64_t time) const;

  /// Exact nanoseconds of each of kinds() before `time`, whose position is `at`.
  void sums(std::int64_t time, std::size_t at, std::vector<double>& out) const;

 private:
  static constexpr std::size_t group = 16;

  const Track* track_;
  std::int64_t begin_ = 0;
  std::int64_t cell_ = 1;            // nanoseconds of one cell of the grid
  std::vector<std::uint32_t> grid_;  // position of each cell's begin
  std::vector<EventKind> kinds_;
  std::vector<std::int64_t> sums_;  // kinds_.size() for each group
  std::array<std::uint8_t, 256> slot_{};
};

}  // namespace hypatia::gui
