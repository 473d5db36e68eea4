// The host as a device: everything is done when a call returns.
#include "engine/device/cpu/cpu.h"

#include <cstring>
#include <mutex>

#include "engine/core/cores.h"
#include "engine/core/error.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/compiler.h"
#include "engine/device/cpu/module.h"
#include "engine/device/cpu/pool.h"

namespace hypatia {

namespace {

class CpuQueue final : public Queue {
 public:
  void synchronize() override {}
};

class CpuMarker final : public Marker {
 public:
  void synchronize() override {}

  double seconds_since(Marker& earlier) override {
    return static_cast<double>(time_ - dynamic_cast<CpuMarker&>(earlier).time_) * 1e-9;
  }

 private:
  std::int64_t time_ = monotonic_ns();
};

class Cpu final : public Device {
 public:
  explicit Cpu(Place place) : Device(place) {
    info_.name = "cpu";
    info_.model = cpu_model();
    info_.limits.memory_bytes = memory_bytes();
    info_.limits.cache_bytes = last_cache_bytes();
    info_.limits.multiprocessors = usable_cores();
  }

  const DeviceInfo& info() const override { return info_; }

  Dialect dialect() const override { return Dialect::host_c; }

  Ref<Storage> allocate(std::size_t bytes) override { return allocate_host(bytes); }

  Ref<Storage> allocate_pinned(std::size_t bytes) override { return allocate_host(bytes); }

  Ref<Module> compile(const KernelSource& source) override { return compiler().compile(source); }

  std::unique_ptr<PendingModule> compile_later(KernelSource source) override {
    return std::make_unique<Compiler::Pending>(compiler().compile_async(std::move(source)));
  }

  void launch(const Kernel& kernel, const Launch& launch, void* const* args, Queue*) override {
    const auto entry = static_cast<const HostKernel&>(kernel).entry();
    if (launch.grain <= 0 || launch.items <= launch.grain) {
      entry(args, 0, launch.items);
      return;
    }
    pool().each(launch.items, launch.grain, [&](std::int64_t first, std::int64_t last) {
      entry(args, first, last);
    });
  }

  void multiply(const MatrixProduct& product, Queue*) override { hypatia::multiply(product); }

  void copy_in(
      Storage& to, std::size_t to_offset, const void* from, std::size_t bytes, Queue*) override {
    if (bytes) std::memcpy(static_cast<char*>(to.data()) + to_offset, from, bytes);
  }

  void copy_out(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) override {
    copy_on(to, to_offset, from, from_offset, bytes, queue);
  }

  void copy_on(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue*) override {
    if (!bytes) return;
    std::memmove(
        static_cast<char*>(to.data()) + to_offset,
        static_cast<const char*>(from.data()) + from_offset,
        bytes);
  }

  void fill(
      Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue*) override {
    if (bytes) std::memset(static_cast<char*>(to.data()) + offset, value, bytes);
  }

  Ref<Queue> make_queue() override { return Ref<Queue>(new CpuQueue); }

  Ref<Marker> record(Queue*) override { return Ref<Marker>(new CpuMarker); }

  void wait(Queue*, Marker&) override {}

  void synchronize() override {}

  Memory memory() const override {
    const HostMemory host_now = host_memory();
    return {host_now.live, host_now.pooled, host_now.peak};
  }

 private:
  /// Made at the first use, since it fixes the flags that it reads.
  Compiler& compiler() {
    std::call_once(compiler_made_, [this] {
      compiler_ = std::make_unique<Compiler>(CompilerOptions::of_config());
    });
    return *compiler_;
  }

  DeviceInfo info_;
  std::once_flag compiler_made_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace

Opened open_cpu(std::string_view spec, Place place) {
  if (spec != "cpu") {
    return {nullptr, "there is one cpu device, 'cpu'; '" + std::string(spec) + "' is none"};
  }
  return {std::make_unique<Cpu>(place), ""};
}

}  // namespace hypatia
