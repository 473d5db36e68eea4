#pragma once
// Opens the cpu device.

#include <string_view>

#include "engine/device/device.h"

namespace hypatia {

/// The device, or the reason in one sentence why it can't be had.
Opened open_cpu(std::string_view spec, Place place);

}  // namespace hypatia
