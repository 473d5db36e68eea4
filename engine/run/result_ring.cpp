#include "engine/run/result_ring.h"

#include <algorithm>

#include "engine/device/device.h"

namespace hypatia {

ResultRing::ResultRing(const Buffer& buffer, Place pinned_by)
    : bytes_(static_cast<std::size_t>(buffer.bytes)), place_(buffer.place), pinned_by_(pinned_by) {}

Storage& ResultRing::take() {
  for (Ref<Storage>& storage : ring_) {
    if (storage && storage->owners() == 1) return *storage;
    if (!storage) {
      storage = make();
      return *storage;
    }
  }
  // All are held by the user, who keeps many results: the oldest one is theirs alone now.
  next_ = (next_ + 1) % ring_.size();
  ring_[next_] = make();
  return *ring_[next_];
}

bool ResultRing::keeps(const Storage& storage) const {
  return std::any_of(
      ring_.begin(), ring_.end(), [&](const Ref<Storage>& held) { return held.get() == &storage; });
}

Ref<Storage> ResultRing::make() const {
  if (!place_.on_host()) return device_at(place_).allocate(bytes_);
  return pinned_by_.on_host() ? allocate_host(bytes_)
                              : device_at(pinned_by_).allocate_pinned(bytes_);
}

}  // namespace hypatia
