#pragma once
// Opens the sim device.

#include <string_view>

#include "engine/device/device.h"

namespace hypatia {

/// The device, or the reason in one sentence why it can't be had.
Opened open_sim(std::string_view spec, Place place);

}  // namespace hypatia
