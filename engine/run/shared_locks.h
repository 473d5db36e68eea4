#pragma once
// The locks of the shared variables that a call uses.

#include <mutex>
#include <span>

namespace hypatia {

/// Locks of several boxes, held to the end of the block. Everybody names them in one order.
class SharedLocks {
 public:
  explicit SharedLocks(std::span<std::mutex* const> locks) : locks_(locks) {
    for (std::mutex* m : locks_)
      m->lock();
  }

  SharedLocks(const SharedLocks&) = delete;
  SharedLocks& operator=(const SharedLocks&) = delete;

  ~SharedLocks() {
    for (std::mutex* m : locks_)
      m->unlock();
  }

 private:
  std::span<std::mutex* const> locks_;
};

}  // namespace hypatia
