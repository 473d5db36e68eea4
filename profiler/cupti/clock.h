#pragma once
// From CUPTI's clock to ours. Both tick in nanoseconds, but CUPTI's follows the wall clock, which
// may be set or slewed while a program runs.

#include <cstdint>
#include <vector>

#include "profiler/cupti/api.h"

namespace hypatia::cupti {

/// Pairs of readings; between two of them the map is linear.
class ClockMap {
 public:
  /// Reads both clocks and keeps the pair with the narrowest bracket of 50.
  void add_anchor(const Api& api);
  /// For tests and for reading clocks elsewhere.
  void add_anchor(std::int64_t device, std::int64_t host, std::int64_t bracket);

  /// On now()'s scale.
  std::int64_t to_host(std::uint64_t device) const;

  /// Half the widest bracket: how far off a mapped time may be, in nanoseconds.
  std::int64_t error() const { return error_; }

 private:
  struct Anchor {
    std::int64_t device, host;
  };

  std::vector<Anchor> anchors_;
  std::int64_t error_ = 0;
};

}  // namespace hypatia::cupti
