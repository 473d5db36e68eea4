#pragma once
// Storage on the simulated card, and pinned host memory that its copies reach asynchronously.

#include "engine/core/storage.h"

namespace hypatia::sim {

class SimDevice;

/// A piece of the card's memory. Reused as an object, too, so that a warm call allocates nothing.
class SimStorage final : public Storage {
 public:
  explicit SimStorage(SimDevice& device, Place place)
      : Storage(nullptr, 0, place), device_(device) {}

  void hold(void* data, std::size_t bytes) {
    data_ = data;
    bytes_ = bytes;
  }

  void wait() override;
  void read(std::size_t offset, void* to, std::size_t bytes) override;
  void write(std::size_t offset, const void* from, std::size_t bytes) override;
  void dispose() override;

 private:
  SimDevice& device_;
};

/// Host memory that the card reaches.
class PinnedStorage final : public Storage {
 public:
  PinnedStorage(SimDevice& device, std::size_t room);
  ~PinnedStorage() override;

  void hand_out(std::size_t bytes) { bytes_ = bytes; }

  void wait() override;
  void dispose() override;

  std::size_t room() const { return room_; }

  std::int64_t written_at = 0;   // when the last submitted write to it ends; 0: none since a wait
  std::uint32_t written_by = 0;  // the queue of that write

 private:
  SimDevice& device_;
  std::size_t room_;
};

}  // namespace hypatia::sim
