#include "engine/device/cuda/memory.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "engine/core/error.h"

namespace hypatia {

namespace {

constexpr std::size_t granule =
    512;  // the alignment of cuMemAlloc's own blocks, as kernels like it
constexpr std::size_t growth = std::size_t{64} << 20U;

std::size_t asked_ahead(const Driver& driver, double preallocate) {
  if (preallocate <= 0) return 0;
  if (preallocate > 1) return static_cast<std::size_t>(preallocate * 1048576.0);
  std::size_t free_bytes = 0, total = 0;
  if (driver.memory_info(&free_bytes, &total) != CUDA_SUCCESS) return 0;
  const double wanted = std::min(preallocate, 0.95) * static_cast<double>(total);
  return std::min(static_cast<std::size_t>(wanted), free_bytes) / granule * granule;
}

}  // namespace

/// A range of device memory with an owner.
class DeviceStorage final : public Storage {
 public:
  DeviceStorage(DeviceMemory& memory, Place place) : Storage(nullptr, 0, place), memory_(memory) {}

  void hold(Range* range, std::size_t bytes) {
    range_ = range;
    data_ = range->address;
    bytes_ = bytes;
  }

  Range* range() const { return range_; }

  void wait() override { memory_.access_.settle(); }

  void read(std::size_t offset, void* to, std::size_t bytes) override {
    memory_.access_.read_device(static_cast<const char*>(data_) + offset, to, bytes);
  }

  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    memory_.access_.write_device(static_cast<char*>(data_) + offset, from, bytes);
  }

  void dispose() override { memory_.release(this); }

 private:
  DeviceMemory& memory_;
  Range* range_ = nullptr;
};

DeviceMemory::DeviceMemory(
    Context& context, MemoryAccess& access, Place place, const CudaSettings& settings)
    : context_(context),
      access_(access),
      place_(place),
      limit_(settings.memory_limit),
      pooling_(settings.preallocate >= 0),
      pool_(*this, granule, pooling_ ? growth : granule) {
  context_.use();
  const std::size_t ahead = asked_ahead(context_.driver(), settings.preallocate);
  if (ahead > 0 && !pool_.grow(ahead)) {
    throw Error(
        Error::Kind::memory,
        context_.name() + ": gpuarray.preallocate asks for " + readable_bytes(ahead) +
            ", which the GPU does not have free",
        "ask for less, or set gpuarray.preallocate=0");
  }
}

DeviceMemory::~DeviceMemory() {
  context_.try_use();
  for (const Resting& resting : resting_)
    events_.insert(events_.end(), resting.after.begin(), resting.after.end());
  for (CUevent event : events_)
    context_.driver().destroy_event(event);
  for (DeviceStorage* storage : spare_)
    delete storage;
}

void* DeviceMemory::take_slab(std::size_t bytes) {
  if (limit_ && pool_.held() + bytes > limit_) return nullptr;
  CUdeviceptr address = 0;
  const CUresult result = context_.driver().allocate(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  context_.check(result, "taking device memory");
  return reinterpret_cast<void*>(address);
}

void DeviceMemory::give_slab(void* slab, std::size_t) {
  context_.try_use();
  context_.driver().free(reinterpret_cast<CUdeviceptr>(slab));
}

Range* DeviceMemory::find(std::size_t bytes) {
  if (!resting_.empty()) wake(false);
  if (Range* range = pool_.allocate(bytes)) return range;
  if (resting_.empty()) return nullptr;
  wake(true);
  return pool_.allocate(bytes);
}

Ref<Storage> DeviceMemory::allocate(std::size_t bytes) {
  context_.use();
  const std::lock_guard lock(mutex_);
  Range* range = find(bytes);
  if (!range) out_of_memory(bytes);
  if (spare_.empty()) spare_.push_back(new DeviceStorage(*this, place_));
  DeviceStorage* storage = spare_.back();
  spare_.pop_back();
  storage->hold(range, bytes);
  return Ref<Storage>(storage);
}

void DeviceMemory::release(DeviceStorage* storage) {
  const std::lock_guard lock(mutex_);
  if (!rest(storage->range())) pool_.release(storage->range());
  spare_.push_back(storage);
  if (!pooling_) pool_.trim();
}

// The default queue's own order makes reuse safe there; other streams are told apart by events.
bool DeviceMemory::rest(Range* range) {
  const std::vector<CUstream> streams = access_.side_streams();
  if (streams.empty()) return false;
  context_.try_use();
  Resting resting{range, {}};
  for (CUstream stream : streams) {
    CUevent event = nullptr;
    if (!events_.empty()) {
      event = events_.back();
      events_.pop_back();
    } else if (context_.driver().create_event(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      continue;
    }
    context_.driver().record_event(event, stream);
    resting.after.push_back(event);
  }
  resting_.push_back(std::move(resting));
  return true;
}

void DeviceMemory::wake(bool all) {
  const auto done = [&](CUevent event) {
    if (all) return context_.driver().synchronize_event(event) != CUDA_ERROR_NOT_READY;
    return context_.driver().query_event(event) != CUDA_ERROR_NOT_READY;
  };
  const auto awake = std::partition(resting_.begin(), resting_.end(), [&](const Resting& r) {
    return !std::all_of(r.after.begin(), r.after.end(), done);
  });
  std::for_each(awake, resting_.end(), [&](const Resting& r) {
    pool_.release(r.range);
    events_.insert(events_.end(), r.after.begin(), r.after.end());
  });
  resting_.erase(awake, resting_.end());
}

Device::Memory DeviceMemory::memory() {
  const std::lock_guard lock(mutex_);
  return {pool_.live(), pool_.held() - pool_.live(), pool_.peak()};
}

void DeviceMemory::out_of_memory(std::size_t bytes) {
  std::size_t free_bytes = 0, total = 0;
  context_.driver().memory_info(&free_bytes, &total);
  std::string summary = context_.name() + " has no " + readable_bytes(bytes) +
                        " left for an array: " + readable_bytes(pool_.live()) + " are live in " +
                        std::to_string(pool_.live_ranges()) + " arrays, " +
                        readable_bytes(pool_.held() - pool_.live()) + " lie free in the pool";
  if (limit_) {
    summary += ", and the pool may hold " + readable_bytes(limit_);
  } else {
    summary += ", and the GPU has " + readable_bytes(free_bytes) + " of " + readable_bytes(total) +
               " free";
  }
  throw Error(
      Error::Kind::memory,
      summary,
      "use smaller arrays or batches, or let go of results before this call");
}

std::string readable_bytes(std::size_t bytes) {
  constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

}  // namespace hypatia
