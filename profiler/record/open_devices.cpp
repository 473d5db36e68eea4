#include "profiler/record/open_devices.h"

#include <atomic>
#include <mutex>

#include "engine/device/device.h"
#include "engine/trace/device_hooks.h"

#include "profiler/record/device_tracer.h"
#include "profiler/record/ranges.h"

namespace hypatia {

namespace {

struct OpenDevices {
  std::mutex mutex;
  std::vector<Device*> devices;
  std::atomic<DeviceOpening> action{nullptr};
};

// Never destroyed: recordings may be closed after main.
OpenDevices& all() {
  static OpenDevices& instance = *new OpenDevices;
  return instance;
}

std::vector<Device*> copy() {
  const std::scoped_lock lock(all().mutex);
  return all().devices;
}

void opening(std::string_view spec) {
  if (const DeviceOpening action = all().action) action(spec);
}

void opened(Device& device) {
  const std::scoped_lock lock(all().mutex);
  all().devices.push_back(&device);
}

struct Hooks {
  Hooks() {
    set_device_hooks(
        {opening, opened, own_device_work, disown_device_work, name_stream, name_thread});
  }
};

const Hooks hooks;

}  // namespace

std::vector<DeviceInfo> devices_in_use() {
  std::vector<DeviceInfo> infos;
  for (const Device* device : copy())
    infos.push_back(device->info());
  return infos;
}

std::string device_name(int context) {
  for (const Device* device : copy()) {
    if (device->place().context == context) return device->info().name;
  }
  return "gpu" + std::to_string(context);
}

void wait_for_devices() {
  for (Device* device : copy())
    device->synchronize();
}

void when_device_opens(DeviceOpening action) {
  all().action = action;
}

}  // namespace hypatia
