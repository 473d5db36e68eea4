#pragma once
// What was copied between host and device: by node, by direction, by size, and what went there and
// back for nothing.

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
  double time = 0;  // nanoseconds of all
};

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
