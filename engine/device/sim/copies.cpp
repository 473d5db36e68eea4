// Memory of the simulated card and the copies to, from and on it.
#include <algorithm>
#include <cstring>

#include "engine/device/sim/device.h"
#include "engine/device/sim/memory.h"
#include "engine/trace/clock.h"

namespace hypatia::sim {

namespace {

constexpr std::uint8_t pageable = 1, pinned_memory = 2, device_memory = 3;

std::string sized(std::size_t bytes) {
  const char* unit = " bytes";
  std::size_t value = bytes;
  for (const char* larger : {" KiB", " MiB", " GiB"}) {
    if (value < 10240) break;
    value /= 1024;
    unit = larger;
  }
  return std::to_string(value) + unit;
}

Work copy_work(EventKind kind, std::size_t bytes, std::uint8_t from, std::uint8_t to) {
  Work work;
  work.kind = kind;
  work.detail.name = name(kind);
  work.detail.bytes = static_cast<std::int64_t>(bytes);
  work.detail.source_memory = from;
  work.detail.target_memory = to;
  return work;
}

}  // namespace

Ref<Storage> SimDevice::allocate(std::size_t bytes) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  char* piece = arena_.take(bytes);
  if (!piece) {
    throw Error(
        Error::Kind::memory,
        info_.name + " (simulated) has no room for " + sized(bytes) + ": " + sized(arena_.live()) +
            " of " + sized(arena_.capacity()) + " are in use by " +
            std::to_string(arena_.pieces().size()) + " arrays",
        "use smaller arrays, or let some go before this call");
  }
  if (free_storages_.empty()) free_storages_.push_back(new SimStorage(*this, place()));
  SimStorage* storage = free_storages_.back();
  free_storages_.pop_back();
  storage->hold(piece, bytes);
  if (checked_) shadow_.set_written(piece, bytes, false);
  set_now(begin + nanoseconds(sheet_.allocate_time));
  return Ref<Storage>(storage);
}

void SimDevice::give_back(SimStorage* storage) {
  const std::lock_guard lock(mutex_);
  arena_.give(static_cast<char*>(storage->data()));
  free_storages_.push_back(storage);
}

Ref<Storage> SimDevice::allocate_pinned(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::size_t room = 64;
  while (room < bytes)
    room *= 2;
  std::vector<PinnedStorage*>& free = free_pinned_[room];
  if (free.empty()) {
    free.push_back(new PinnedStorage(*this, room));
    pinned_[static_cast<const char*>(free.back()->data())] = free.back();
  }
  PinnedStorage* storage = free.back();
  free.pop_back();
  storage->hand_out(bytes);
  return Ref<Storage>(storage);
}

void SimDevice::give_back(PinnedStorage* storage) {
  const std::lock_guard lock(mutex_);
  std::erase_if(landings_, [storage](const Landing& l) { return l.to == storage; });
  storage->written_at = 0;
  free_pinned_[storage->room()].push_back(storage);
}

Device::Memory SimDevice::memory() const {
  const std::lock_guard lock(mutex_);
  return {arena_.live(), arena_.pooled(), arena_.peak()};
}

// Copies to pinned memory have reached it once anything later happens on the card.
void SimDevice::land() {
  for (const Landing& l : landings_)
    std::memcpy(static_cast<char*>(l.to->data()) + l.offset, l.data->data(), l.bytes);
  landings_.clear();
}

void SimDevice::copy_in(
    Storage& to, std::size_t to_offset, const void* from, std::size_t bytes, Queue* queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  check_range(to, to_offset, bytes);
  if (bytes > 0 && on_device(from)) {
    throw Error(
        Error::Kind::device,
        "copy_in reads from an address of the device",
        "use copy_on between two arrays of a device");
  }
  const bool fast = pinned_at(from) != nullptr;
  Work work = copy_work(EventKind::copy_in, bytes, fast ? pinned_memory : pageable, device_memory);
  work.begin = begin;
  work.seconds =
      copy_in_seconds(sheet_, bytes, fast ? HostMemoryKind::pinned : HostMemoryKind::pageable);
  const double staging = fast ? 0 : staging_in_seconds(sheet_, bytes);
  work.submit_seconds = sheet_.copy_submit + staging;
  work.early_seconds = std::min(staging, work.seconds);
  SimQueue& on = real(queue);
  char* target = static_cast<char*>(to.data()) + to_offset;
  const std::function<void()> act = [this, target, from, bytes] {
    if (bytes > 0) std::memcpy(target, from, bytes);
    if (checked_) shadow_.set_written(target, bytes, true);
  };
  put(on, std::move(work), act);
}

void SimDevice::copy_out(
    Storage& to,
    std::size_t to_offset,
    Storage& from,
    std::size_t from_offset,
    std::size_t bytes,
    Queue* queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  check_range(from, from_offset, bytes);
  if (to_offset + bytes > to.bytes()) {
    throw Error(
        Error::Kind::device,
        "a copy of " + std::to_string(bytes) + " bytes goes past the end of a host array of " +
            std::to_string(to.bytes()),
        "compare the sizes of the two arrays");
  }
  PinnedStorage* fast = pinned_at(to.data());
  Work work = copy_work(EventKind::copy_out, bytes, device_memory, fast ? pinned_memory : pageable);
  work.begin = begin;
  work.seconds =
      copy_out_seconds(sheet_, bytes, fast ? HostMemoryKind::pinned : HostMemoryKind::pageable);
  work.submit_seconds = sheet_.copy_submit;
  const double staging = fast ? 0 : staging_out_seconds(sheet_, bytes);
  work.landing_seconds = std::max(0.0, staging - work.seconds);
  work.waits = !fast;
  SimQueue& on = real(queue);
  const char* source = static_cast<const char*>(from.data()) + from_offset;
  work.target = fast;
  // As on a real card, a capture keeps no memory of the pools; ordinary memory is another matter.
  const Ref<Storage> kept = fast ? Ref<Storage>() : Ref<Storage>(&to);
  const std::function<void()> act =
      [this, fast, kept, to_offset, source, number = on.number, bytes] {
        if (bytes == 0) return;
        if (!fast) {
          std::memcpy(static_cast<char*>(kept->data()) + to_offset, source, bytes);
          return;
        }
        Ref<Storage> staged = allocate_host(bytes);
        std::memcpy(staged->data(), source, bytes);
        landings_.push_back({fast, to_offset, bytes, std::move(staged)});
        fast->written_by = number;
      };
  const bool done = !fast && !on.capture;
  put(on, std::move(work), act);
  if (done && failure_) throw *std::exchange(failure_, std::nullopt);
}

void SimDevice::copy_on(
    Storage& to,
    std::size_t to_offset,
    Storage& from,
    std::size_t from_offset,
    std::size_t bytes,
    Queue* queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  check_range(to, to_offset, bytes);
  check_range(from, from_offset, bytes);
  Work work = copy_work(EventKind::copy_on, bytes, device_memory, device_memory);
  work.begin = begin;
  work.seconds = copy_on_seconds(sheet_, bytes);
  work.submit_seconds = sheet_.copy_submit;
  char* target = static_cast<char*>(to.data()) + to_offset;
  const char* source = static_cast<const char*>(from.data()) + from_offset;
  const std::function<void()> act = [this, target, source, bytes] {
    if (bytes > 0) std::memmove(target, source, bytes);
    if (checked_) shadow_.copy_written(target, source, bytes);
  };
  SimQueue& on = real(queue);
  put(on, std::move(work), act);
}

void SimDevice::fill(
    Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue* queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  check_range(to, offset, bytes);
  Work work = copy_work(EventKind::fill, bytes, device_memory, device_memory);
  work.begin = begin;
  work.seconds = fill_seconds(sheet_, bytes);
  work.submit_seconds = sheet_.limits.launch_latency;
  char* target = static_cast<char*>(to.data()) + offset;
  const std::function<void()> act = [this, target, value, bytes] {
    if (bytes > 0) std::memset(target, value, bytes);
    if (checked_) shadow_.set_written(target, bytes, true);
  };
  SimQueue& on = real(queue);
  put(on, std::move(work), act);
}

void SimDevice::wait_for(PinnedStorage& pinned) {
  const std::lock_guard lock(mutex_);
  if (pinned.written_at == 0) return;
  const std::int64_t done = std::exchange(pinned.written_at, 0);
  wait_until(done, pinned.written_by);
}

void SimDevice::read(const SimStorage& from, std::size_t offset, void* to, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  QueueTimes& times = default_queue_->times;
  times.free_at = std::max(times.free_at, busy_until_);
  const Ref<Storage> target = borrow_host(to, bytes);
  copy_out(*target, 0, const_cast<SimStorage&>(from), offset, bytes, nullptr);
}

void SimDevice::write(
    const SimStorage& to, std::size_t offset, const void* from, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  QueueTimes& times = default_queue_->times;
  times.free_at = std::max(times.free_at, busy_until_);
  copy_in(const_cast<SimStorage&>(to), offset, from, bytes, nullptr);
}

}  // namespace hypatia::sim
