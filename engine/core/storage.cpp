// The pool of host memory.

#include "engine/core/storage.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "engine/core/error.h"

namespace hypatia {

namespace {

constexpr std::size_t alignment = 64;
// Blocks above this size go back to the system at once.
constexpr std::size_t pool_limit = std::size_t{1} << 30;

// From this size on huge pages are asked for: with small ones, looking up addresses takes a loop
// that waits for memory up to a third of its time.
constexpr std::size_t huge_from = std::size_t{4} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

// Large blocks begin at different places of a small page, in turn: loops over several arrays that
// begin at the same one wait for each other's lines, up to a fifth of their time.
constexpr std::size_t stagger = 1024, small_page = 4096;

void* room_for(std::size_t capacity) {
  if (capacity < huge_from) return std::aligned_alloc(alignment, capacity);
  static std::atomic<std::size_t> turn{0};
  const std::size_t begin = turn.fetch_add(1, std::memory_order_relaxed) * stagger % small_page;
  void* room = nullptr;
  if (posix_memalign(&room, huge_page, begin + capacity) != 0) return nullptr;
#if defined(__linux__)
  // A kernel without huge pages takes small ones.
  madvise(room, capacity / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return static_cast<char*>(room) + begin;
}

void give_room_back(void* room, std::size_t capacity) {
  if (capacity >= huge_from) {
    room = static_cast<char*>(room) - reinterpret_cast<std::uintptr_t>(room) % small_page;
  }
  std::free(room);
}

std::atomic<std::size_t> live_bytes{0}, peak_bytes{0}, pooled_bytes{0};

void count(std::size_t bytes) {
  const std::size_t now = live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t seen = peak_bytes.load(std::memory_order_relaxed);
  while (now > seen && !peak_bytes.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

class HostBlock;

/// Freed blocks by size class, so that a warm call makes no system allocation.
class Pool {
 public:
  HostBlock* take(std::size_t bytes);
  void give(HostBlock* block);

 private:
  static std::size_t size_class(std::size_t bytes) { return std::bit_width(bytes - 1); }

  std::mutex mutex_;
  std::array<std::vector<HostBlock*>, 65> free_;
};

// Never destroyed: arrays of static lifetime may be released after it would have gone.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

class HostBlock final : public Storage {
 public:
  explicit HostBlock(std::size_t capacity)
      : Storage(room_for(capacity), capacity, host), capacity_(capacity) {
    if (!data_) {
      throw Error(
          Error::Kind::memory,
          "the host has no " + std::to_string(capacity) + " bytes left for an array",
          "use smaller arrays, or free some before this call");
    }
  }

  ~HostBlock() override { give_room_back(data_, capacity_); }

  void hand_out(std::size_t bytes) {
    bytes_ = bytes;
    count(capacity_);
  }

  void dispose() override {
    live_bytes.fetch_sub(capacity_, std::memory_order_relaxed);
    pool().give(this);
  }

  std::size_t capacity() const { return capacity_; }

 private:
  std::size_t capacity_;
};

HostBlock* Pool::take(std::size_t bytes) {
  const std::size_t klass = size_class(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (!free_[klass].empty()) {
      HostBlock* block = free_[klass].back();
      free_[klass].pop_back();
      pooled_bytes.fetch_sub(block->capacity(), std::memory_order_relaxed);
      return block;
    }
  }
  return new HostBlock(bytes > pool_limit ? bytes : std::size_t{1} << klass);
}

void Pool::give(HostBlock* block) {
  if (block->capacity() > pool_limit) {
    delete block;
    return;
  }
  const std::lock_guard lock(mutex_);
  pooled_bytes.fetch_add(block->capacity(), std::memory_order_relaxed);
  free_[size_class(block->capacity())].push_back(block);
}

class Borrowed final : public Storage {
 public:
  Borrowed(void* data, std::size_t bytes) : Storage(data, bytes, host) {}
};

}  // namespace

void Storage::read(std::size_t offset, void* to, std::size_t bytes) {
  wait();
  std::memcpy(to, static_cast<const char*>(data_) + offset, bytes);
}

void Storage::write(std::size_t offset, const void* from, std::size_t bytes) {
  wait();
  std::memcpy(static_cast<char*>(data_) + offset, from, bytes);
}

void release(Storage* s) {
  if (s->drop_owner()) s->dispose();
}

Ref<Storage> allocate_host(std::size_t bytes) {
  const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
  HostBlock* block = pool().take(padded ? padded : alignment);
  block->hand_out(bytes);
  return Ref<Storage>(block);
}

Ref<Storage> borrow_host(void* data, std::size_t bytes) {
  return Ref<Storage>(new Borrowed(data, bytes));
}

HostMemory host_memory() {
  return {
      live_bytes.load(std::memory_order_relaxed),
      peak_bytes.load(std::memory_order_relaxed),
      pooled_bytes.load(std::memory_order_relaxed),
  };
}

}  // namespace hypatia
