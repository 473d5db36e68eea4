#pragma once
// How a profiler learns of devices: before one is opened, in time to attach to its driver, and once
// it is open.

#include <string_view>

namespace hypatia {

class Device;

/// Null where nobody wants to know. Devices that are open live as long as the process.
struct DeviceHooks {
  void (*opening)(std::string_view spec) = nullptr;  // "cuda0"
  void (*opened)(Device& device) = nullptr;
};

void set_device_hooks(const DeviceHooks& hooks);

/// Called by whoever opens devices.
void announce_opening(std::string_view spec);
void announce_opened(Device& device);

}  // namespace hypatia
