#pragma once
// What was copied between host and device: by node, by direction, by size, and what went there and
// back for nothing.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// Copies of one node, one direction and one size.
struct CopyGroup {
  int node = -1;
  EventKind kind = EventKind::copy_in;
  std::int64_t bytes = 0;  // of one copy
  std::uint8_t source_memory = 0, target_memory = 0;
  std::int64_t count = 0;
  double time = 0;  // nanoseconds of all, on the device
  double host = 0;  // of the host's calls that submitted them; 0: not recorded

  bool pageable() const { return source_memory == 1 || target_memory == 1; }

  /// Nanoseconds until the bytes were there. The host moves those of pageable memory by way of
  /// other memory, chunk by chunk, and that is a part of it.
  double whole() const { return pageable() ? std::max(time, host) : time; }

  /// Bytes a second.
  double rate() const;
};

/// The ceiling of such copies on that device, bytes a second; 0: unknown.
double roof_of(const CopyGroup& group, const Limits& limits);

/// A value that went to the device and back, or the other way round, without being changed.
struct PingPong {
  int first = -1, second = -1;  // the two copying nodes
};

struct Transfers {
  std::vector<CopyGroup> groups;  // the most time first
  std::vector<PingPong> ping_pongs;
};

Transfers find_transfers(const Profile& profile);

/// "pageable", "pinned", "device", "unknown".
const char* memory_word(std::uint8_t memory);

}  // namespace hypatia::gui
