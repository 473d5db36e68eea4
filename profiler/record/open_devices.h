#pragma once
// The devices that are open in this process, as the engine's hooks announced them.

#include <string>
#include <vector>

#include "engine/device/limits.h"

namespace hypatia {

/// In the order in which they were opened.
std::vector<DeviceInfo> devices_in_use();
/// "sim0" for the context that it is; "gpu3" for one that nobody announced.
std::string device_name(int context);
/// Waits for the work of all of them; throws what a failed piece of work threw.
void wait_for_devices();

/// Called before a device is opened, with its spec.
using DeviceOpening = void (*)(std::string_view spec);
void when_device_opens(DeviceOpening action);

}  // namespace hypatia
