#include "engine/device/cuda/pinned.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/device/cuda/memory.h"

namespace hypatia {

namespace {

constexpr std::size_t pinned_granule = 4096;
// Page-locking costs about a millisecond for each 4 MB, so that it is done rarely and in bulk.
constexpr std::size_t pinned_growth = std::size_t{8} << 20U;

bool below(const PinnedStorage* storage, const char* address) {
  return static_cast<const char*>(storage->data()) < address;
}

}  // namespace

PinnedStorage::PinnedStorage(PinnedMemory& memory, Context& context)
    : Storage(nullptr, 0, host), memory_(memory), context_(context) {
  context_.check(
      context_.driver().create_event(&event_, CU_EVENT_DISABLE_TIMING), "making an event");
}

PinnedStorage::~PinnedStorage() {
  context_.driver().destroy_event(event_);
}

void PinnedStorage::hold(Range* range, std::size_t bytes) {
  range_ = range;
  data_ = range->address;
  bytes_ = bytes;
}

void PinnedStorage::mark(CUstream stream) {
  const Driver& driver = context_.driver();
  // One event stands for all users: a second stream is put behind the first one's work.
  if (stream_ != stream && pending_.load(std::memory_order_acquire)) {
    context_.check(driver.wait_event(stream, event_, 0), "ordering copies");
  }
  context_.check(driver.record_event(event_, stream), "recording an event");
  stream_ = stream;
  pending_.store(true, std::memory_order_release);
}

void PinnedStorage::wait() {
  if (!pending_.load(std::memory_order_acquire)) return;
  context_.use();
  context_.check(context_.driver().synchronize_event(event_), "waiting for a result");
  pending_.store(false, std::memory_order_release);
}

bool PinnedStorage::idle() {
  if (!pending_.load(std::memory_order_acquire)) return true;
  if (context_.driver().query_event(event_) == CUDA_ERROR_NOT_READY) return false;
  pending_.store(false, std::memory_order_release);
  return true;
}

void PinnedStorage::dispose() {
  memory_.release(this);
}

PinnedMemory::PinnedMemory(Context& context)
    : context_(context), pool_(*this, pinned_granule, pinned_growth) {}

PinnedMemory::~PinnedMemory() {
  context_.try_use();
  for (PinnedStorage* storage : resting_)
    delete storage;
  for (PinnedStorage* storage : spare_)
    delete storage;
}

void* PinnedMemory::take_slab(std::size_t bytes) {
  void* slab = nullptr;
  const CUresult result = context_.driver().allocate_host(&slab, bytes, CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  context_.check(result, "page-locking host memory");
  const char* first = static_cast<const char*>(slab);
  if (!lowest_ || first < lowest_) lowest_ = first;
  if (first + bytes > highest_) highest_ = first + bytes;
  return slab;
}

void PinnedMemory::give_slab(void* slab, std::size_t) {
  context_.try_use();
  context_.driver().free_host(slab);
}

void PinnedMemory::wake() {
  for (std::size_t i = 0; i < resting_.size();) {
    if (!resting_[i]->idle()) {
      ++i;
      continue;
    }
    recycle(resting_[i]);
    resting_[i] = resting_.back();
    resting_.pop_back();
  }
}

void PinnedMemory::recycle(PinnedStorage* storage) {
  pool_.release(storage->range());
  spare_.push_back(storage);
}

Ref<Storage> PinnedMemory::allocate(std::size_t bytes) {
  context_.use();
  const std::lock_guard lock(mutex_);
  if (!resting_.empty()) wake();
  Range* range = pool_.allocate(bytes);
  if (!range) {
    throw Error(
        Error::Kind::memory,
        context_.name() + ": the host gives no " + readable_bytes(bytes) +
            " of page-locked memory; " + readable_bytes(pool_.live()) + " are in use",
        "keep results on the device, or raise the limit of locked memory (ulimit -l)");
  }
  if (spare_.empty()) spare_.push_back(new PinnedStorage(*this, context_));
  PinnedStorage* storage = spare_.back();
  spare_.pop_back();
  storage->hold(range, bytes);
  live_.insert(std::lower_bound(live_.begin(), live_.end(), range->address, below), storage);
  return Ref<Storage>(storage);
}

void PinnedMemory::release(PinnedStorage* storage) {
  context_.try_use();
  const std::lock_guard lock(mutex_);
  live_.erase(std::lower_bound(
      live_.begin(), live_.end(), static_cast<const char*>(storage->data()), below));
  if (storage->idle()) {
    recycle(storage);
  } else {
    resting_.push_back(storage);
  }
}

Ref<Storage> PinnedMemory::find(const void* address, std::size_t bytes) {
  const char* first = static_cast<const char*>(address);
  if (first < lowest_.load(std::memory_order_relaxed) ||
      first >= highest_.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  auto after = std::lower_bound(live_.begin(), live_.end(), first + 1, below);
  if (after == live_.begin()) return nullptr;
  PinnedStorage* storage = *--after;
  const char* begin = static_cast<const char*>(storage->data());
  return first + bytes <= begin + storage->bytes() ? Ref<Storage>(storage) : nullptr;
}

PinnedStorage* PinnedMemory::own(Storage& storage) const {
  auto* pinned = dynamic_cast<PinnedStorage*>(&storage);
  return pinned && pinned->belongs_to(*this) ? pinned : nullptr;
}

}  // namespace hypatia
