#pragma once
// Reference-counted bytes: on the host, in pinned host memory or on a device.

#include <cstddef>

#include "engine/core/counted.h"
#include "engine/core/ref.h"
#include "engine/core/type.h"

namespace hypatia {

/// Bytes that an Array looks at. Devices derive their own kinds.
class Storage : public Counted {
 public:
  virtual ~Storage() = default;

  /// The address, in the address space of place(). Null when empty.
  void* data() const { return data_; }

  std::size_t bytes() const { return bytes_; }

  Place place() const { return place_; }

  /// Returns once every write that was submitted before has landed; throws the Error of a failed
  /// one.
  virtual void wait() {}

  /// Copies `bytes` at `offset` to the host, after waiting; only device storage needs to override
  /// it.
  virtual void read(std::size_t offset, void* to, std::size_t bytes);
  /// Copies from the host into the storage, likewise.
  virtual void write(std::size_t offset, const void* from, std::size_t bytes);

  /// Called with the last owner gone: deletes, or hands the bytes back to a pool.
  virtual void dispose() { delete this; }

 protected:
  Storage(void* data, std::size_t bytes, Place place) : data_(data), bytes_(bytes), place_(place) {}

  void* data_;
  std::size_t bytes_;
  Place place_;
};

inline void retain(const Storage* s) {
  s->add_owner();
}

void release(Storage* s);

/// Host memory from a pool of freed blocks, 64-byte aligned and padded to 64 bytes. Not cleared.
Ref<Storage> allocate_host(std::size_t bytes);
/// Memory that somebody else owns and keeps alive.
Ref<Storage> borrow_host(void* data, std::size_t bytes);

/// Bytes now held by host arrays, and the most ever held.
struct HostMemory {
  std::size_t live = 0, peak = 0, pooled = 0;
};

HostMemory host_memory();

}  // namespace hypatia
