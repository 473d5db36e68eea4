#pragma once
// Captured work, by the addresses that it holds for.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/device/device.h"

namespace hypatia {

/// A few captures; a new one takes the place of the one that was used the longest ago.
class Captures {
 public:
  struct Entry {
    std::vector<void*> addresses;
    // Addresses seen for the first time may never come back: capturing waits for the second.
    Ref<Replay> replay;
    std::uint64_t used = 0;
  };

  /// The entry whose addresses `holds` accepts, else null.
  template <class Holds>
  Entry* find(Holds holds) {
    for (Entry& entry : entries_) {
      if (!holds(entry.addresses)) continue;
      entry.used = ++uses_;
      return &entry;
    }
    return nullptr;
  }

  void add(std::vector<void*> addresses) {
    constexpr std::size_t most = 8;
    if (entries_.size() == most) {
      entries_.erase(
          std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return a.used < b.used;
          }));
    }
    entries_.push_back({std::move(addresses), {}, ++uses_});
  }

 private:
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace hypatia
