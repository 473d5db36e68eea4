#pragma once
// Page-locked host memory from a pool: copies to and from it run at the link's full speed and do
// not hold the caller.

#include <atomic>
#include <mutex>
#include <vector>

#include "engine/core/storage.h"
#include "engine/device/cuda/context.h"
#include "engine/device/cuda/range_pool.h"

namespace hypatia {

class PinnedMemory;

/// Pinned bytes, with the event after the last copy that uses them.
class PinnedStorage final : public Storage {
 public:
  PinnedStorage(PinnedMemory& memory, Context& context);
  ~PinnedStorage() override;

  void hold(Range* range, std::size_t bytes);

  Range* range() const { return range_; }

  /// From here on wait() waits for the work that is in `stream` now.
  void mark(CUstream stream);
  void wait() override;

  bool belongs_to(const PinnedMemory& memory) const { return &memory_ == &memory; }

  /// True if no work that was marked is under way.
  bool idle();
  void dispose() override;

 private:
  PinnedMemory& memory_;
  Context& context_;
  Range* range_ = nullptr;
  CUevent event_ = nullptr;
  CUstream stream_ = nullptr;
  std::atomic<bool> pending_{false};
};

/// The pool. Memory that is let go while a copy uses it rests until the copy is done.
class PinnedMemory final : private SlabSource {
 public:
  explicit PinnedMemory(Context& context);
  ~PinnedMemory() override;

  /// Throws Error of kind memory.
  Ref<Storage> allocate(std::size_t bytes);
  /// The live storage that holds all these bytes, or null: memory of somebody else.
  Ref<Storage> find(const void* address, std::size_t bytes);
  /// The storage as pinned memory of this pool, or null.
  PinnedStorage* own(Storage& storage) const;

 private:
  friend class PinnedStorage;

  void* take_slab(std::size_t bytes) override;
  void give_slab(void* slab, std::size_t bytes) override;
  void release(PinnedStorage* storage);
  void recycle(PinnedStorage* storage);
  void wake();

  Context& context_;
  std::mutex mutex_;
  std::atomic<const char*> lowest_{nullptr}, highest_{nullptr};  // bounds of all slabs
  std::vector<PinnedStorage*> live_;                             // by address
  std::vector<PinnedStorage*> resting_, spare_;
  RangePool pool_;
};

}  // namespace hypatia
