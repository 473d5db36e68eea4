#include "engine/device/sim/memory.h"

#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "engine/device/sim/device.h"

namespace hypatia::sim {

void SimStorage::wait() {
  device_.wait_for_all();
}

void SimStorage::read(std::size_t offset, void* to, std::size_t bytes) {
  device_.read(*this, offset, to, bytes);
}

void SimStorage::write(std::size_t offset, const void* from, std::size_t bytes) {
  device_.write(*this, offset, from, bytes);
}

void SimStorage::dispose() {
  device_.give_back(this);
}

PinnedStorage::PinnedStorage(SimDevice& device, std::size_t room)
    : Storage(std::aligned_alloc(64, room), room, host), device_(device), room_(room) {
  if (!data_) {
    throw Error(
        Error::Kind::memory,
        "the host has no " + std::to_string(room) + " bytes left for pinned memory",
        "use smaller arrays, or free some before this call");
  }
}

PinnedStorage::~PinnedStorage() {
  std::free(data_);
}

void PinnedStorage::wait() {
  device_.wait_for(*this);
}

void PinnedStorage::dispose() {
  device_.give_back(this);
}

}  // namespace hypatia::sim
