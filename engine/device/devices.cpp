// The list of devices, and the contexts that are open in this process.
#include <array>
#include <atomic>
#include <mutex>

#include "engine/core/error.h"
#include "engine/device/cpu/cpu.h"
#include "engine/device/cuda/cuda.h"
#include "engine/device/device.h"
#include "engine/device/sim/sim.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

constexpr std::size_t most_contexts = 16;

struct Contexts {
  std::mutex mutex;
  std::array<std::atomic<Device*>, most_contexts> open{};
  int count = 0;
};

// Never destroyed, like the devices: arrays of static lifetime may outlive main.
Contexts& contexts() {
  static Contexts& instance = *new Contexts;
  return instance;
}

Device& the_cpu() {
  static Device& cpu = []() -> Device& {
    Device& opened = *open_cpu("cpu", host).device.release();
    announce_opened(opened);
    return opened;
  }();
  return cpu;
}

}  // namespace

void Replay::set_launch(std::size_t, const Launch&, void* const*) {
  internal_error("this replay has no launches that can change");
}

void Replay::set_copy(std::size_t, void*, const void*, std::size_t) {
  internal_error("this replay has no copies that can change");
}

std::unique_ptr<PendingModule> Device::compile_later(KernelSource source) {
  class AtGet final : public PendingModule {
   public:
    AtGet(Device& device, KernelSource source) : device_(device), source_(std::move(source)) {}

    bool ready() const override { return false; }

    Ref<Module> get() override { return device_.compile(source_); }

   private:
    Device& device_;
    KernelSource source_;
  };

  return std::make_unique<AtGet>(*this, std::move(source));
}

FoundConvolution Device::convolution(const Convolution&) {
  return {};
}

void Device::convolve(const LibraryConvolution&, const ConvolutionMemory&, Queue*) {
  internal_error("this device has no library for convolutions");
}

void Device::mark_written(Storage&, Queue*) {}

void Device::begin_capture(Queue*) {
  internal_error("this device can't capture");
}

Ref<Replay> Device::end_capture(Queue*) {
  internal_error("this device can't capture");
}

void Device::drop_capture(Queue* queue) noexcept {
  try {
    end_capture(queue);
  } catch (const std::exception&) {
    // The error that cut the capture short is the one to tell.
  }
}

void Device::submit(Replay&, Queue*) {
  internal_error("this device can't capture");
}

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds{
      {"cpu", open_cpu},
      {"cuda", open_cuda},
      {"sim", open_sim},
  };
  return kinds;
}

Opened open_device(std::string_view spec, Place place) {
  for (const DeviceKind& kind : device_kinds()) {
    if (spec.substr(0, kind.name.size()) == kind.name) return kind.open(spec, place);
  }
  return {
      nullptr,
      "there is no device '" + std::string(spec) +
          "': devices are cpu, cuda, cuda0, …, sim, sim:h100-sxm, …"};
}

Device& device_at(Place place) {
  if (place.on_host()) return the_cpu();
  Device* device = contexts().open[static_cast<std::size_t>(place.context)];
  if (!device) internal_error("context " + std::to_string(place.context) + " is not open");
  return *device;
}

std::string use_device(std::string_view spec, Place place) {
  Contexts& all = contexts();
  const std::lock_guard lock(all.mutex);
  std::atomic<Device*>& slot = all.open[static_cast<std::size_t>(place.context)];
  if (slot) return "";
  announce_opening(spec);
  Opened opened = open_device(spec, place);
  if (!opened.device) return opened.reason;
  slot = opened.device.release();
  ++all.count;
  announce_opened(*slot);
  return "";
}

int open_contexts() {
  const std::lock_guard lock(contexts().mutex);
  return contexts().count;
}

void synchronize_all() {
  for (Device* device : contexts().open) {
    if (device) device->synchronize();
  }
}

}  // namespace hypatia
