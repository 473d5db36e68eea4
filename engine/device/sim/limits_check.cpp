// What a card refuses before a kernel runs: sizes beyond its limits, and addresses that aren't its.
#include "engine/device/sim/device.h"
#include "engine/device/sim/memory.h"

namespace hypatia::sim {

namespace {

[[noreturn]] void refuse(const std::string& kernel, const std::string& why, std::string help) {
  throw Error(
      Error::Kind::device, kernel + " can't be launched with these sizes: " + why, std::move(help));
}

std::string triple(const std::array<std::uint32_t, 3>& v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) +
         ")";
}

}  // namespace

void SimDevice::check_launch(const SimKernel& kernel, const Launch& launch) const {
  const Limits& l = info_.limits;
  const std::string& name = kernel.name();
  const std::uint64_t threads =
      std::uint64_t{launch.block[0]} * launch.block[1] * std::uint64_t{launch.block[2]};
  if (threads == 0) {
    refuse(
        name, "the block " + triple(launch.block) + " has no thread", "give each axis at least 1");
  }
  if (threads > static_cast<std::uint64_t>(l.max_threads_per_block) || launch.block[2] > 64) {
    refuse(
        name,
        "the block " + triple(launch.block) + " has " + std::to_string(threads) + " threads; " +
            info_.name + " allows " + std::to_string(l.max_threads_per_block) +
            ", and 64 along the last axis",
        "use more blocks of fewer threads");
  }
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) {
    refuse(name, "the grid " + triple(launch.grid) + " has no block", "give each axis at least 1");
  }
  // Cards before capability 3 count blocks in 16 bits along every axis.
  const std::uint32_t widest = info_.capability_major < 3 ? 65535 : 0x7fffffff;
  if (launch.grid[0] > widest || launch.grid[1] > 65535 || launch.grid[2] > 65535) {
    refuse(
        name,
        "the grid " + triple(launch.grid) + " is larger than (" + std::to_string(widest) +
            ", 65535, 65535)",
        "let each thread do several elements");
  }
  if (std::uint64_t{launch.grid[0]} * launch.block[0] > 0x7ffff000U) {
    refuse(
        name,
        "the simulator runs at most 2^31 threads along an axis",
        "let each thread do several elements");
  }
  const std::size_t shared = launch.shared_bytes + kernel.module.shared().static_bytes();
  if (l.shared_per_block > 0 && shared > static_cast<std::size_t>(l.shared_per_block)) {
    refuse(
        name,
        std::to_string(shared) + " bytes of shared memory for a block; " + info_.name + " has " +
            std::to_string(l.shared_per_block),
        "use smaller tiles");
  }
}

bool SimDevice::on_device(const void* address) const {
  return arena_.holds(address);
}

PinnedStorage* SimDevice::pinned_at(const void* address) const {
  auto at = pinned_.upper_bound(static_cast<const char*>(address));
  if (at == pinned_.begin()) return nullptr;
  --at;
  const char* end = at->first + at->second->room();
  return static_cast<const char*>(address) < end ? at->second : nullptr;
}

bool SimDevice::check_arguments(const SimKernel& kernel, void* const* args) {
  for (std::uint32_t i = 0; i < kernel.entry.parameter_count; ++i) {
    if (!kernel.entry.parameters[i].is_pointer) continue;
    const void* address = *static_cast<void* const*>(args[i]);
    if (!address || on_device(address) || pinned_at(address)) continue;
    if (kernel.module.object().holds(address)) continue;
    fail(Error(
        Error::Kind::device,
        "argument " + std::to_string(i + 1) + " of " + kernel.name() +
            " is an address of host memory, which " + info_.name + " (simulated) can't reach",
        "copy the array to the device first and pass the device array"));
    return false;
  }
  return true;
}

// As good a guess as the arguments allow: a thread an element, each array passed over once.
double SimDevice::touched_bytes(const SimKernel& kernel, void* const* args) const {
  double bytes = 0;
  for (std::uint32_t i = 0; i < kernel.entry.parameter_count; ++i) {
    if (!kernel.entry.parameters[i].is_pointer) continue;
    bytes += static_cast<double>(arena_.find(*static_cast<void* const*>(args[i])).bytes);
  }
  return bytes;
}

void SimDevice::check_range(const Storage& storage, std::size_t offset, std::size_t bytes) const {
  if (bytes > 0 && !on_device(storage.data()) && storage.place().on_host()) {
    throw Error(
        Error::Kind::device,
        "a copy on " + info_.name + " names host memory where device memory is meant",
        "use copy_in and copy_out between the host and a device");
  }
  if (offset + bytes <= storage.bytes()) return;
  throw Error(
      Error::Kind::device,
      "a copy of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
          " goes past the end of an array of " + std::to_string(storage.bytes()) + " bytes",
      "compare the sizes of the two arrays");
}

}  // namespace hypatia::sim
