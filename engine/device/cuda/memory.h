#pragma once
// The device's memory: a pool in the order of the default queue's work.

#include <mutex>
#include <string>
#include <vector>

#include "engine/core/storage.h"
#include "engine/device/cuda/context.h"
#include "engine/device/cuda/range_pool.h"
#include "engine/device/cuda/settings.h"
#include "engine/device/device.h"

namespace hypatia {

class DeviceStorage;

/// What a storage needs of its device to be waited for, read and written.
class MemoryAccess {
 public:
  virtual ~MemoryAccess() = default;
  /// Waits for all work that may write device memory.
  virtual void settle() = 0;
  virtual void read_device(const void* from, void* to, std::size_t bytes) = 0;
  virtual void write_device(void* to, const void* from, std::size_t bytes) = 0;
  /// Streams other than the default one; empty in most programs.
  virtual std::vector<CUstream> side_streams() = 0;
};

/// Hands out and takes back device memory without waiting. With side queues about, freed memory
/// rests until the work that was submitted before has run.
class DeviceMemory final : private SlabSource {
 public:
  DeviceMemory(Context& context, MemoryAccess& access, Place place, const CudaSettings& settings);
  ~DeviceMemory() override;

  /// Throws Error of kind memory that says how much was asked and what is live.
  Ref<Storage> allocate(std::size_t bytes);
  Device::Memory memory();

 private:
  friend class DeviceStorage;

  struct Resting {
    Range* range;
    std::vector<CUevent> after;
  };

  void* take_slab(std::size_t bytes) override;
  void give_slab(void* slab, std::size_t bytes) override;
  void release(DeviceStorage* storage);
  bool rest(Range* range);
  /// Frees what has rested long enough; `all` waits for it.
  void wake(bool all);
  Range* find(std::size_t bytes);
  [[noreturn]] void out_of_memory(std::size_t bytes);

  Context& context_;
  MemoryAccess& access_;
  Place place_;
  std::size_t limit_;
  bool pooling_;
  std::mutex mutex_;
  std::vector<DeviceStorage*> spare_;  // storages without a range, for reuse
  std::vector<Resting> resting_;
  std::vector<CUevent> events_;
  RangePool pool_;
};

/// Bytes in words: "3.5 GiB".
std::string readable_bytes(std::size_t bytes);

}  // namespace hypatia
