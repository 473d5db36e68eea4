#pragma once
// The configured device, opened on first use.

#include "engine/core/array.h"
#include "engine/core/type.h"

namespace hypatia {

/// Where functions run and shared arrays lie by default: the host, or context 0 of the flag
/// `device`. Opens the device on first use, says so on stderr in one line, and falls back to the
/// host with the reason; with force_device a device that can't be had is an Error.
Place default_place();

/// Says on stderr, once, what the flags in force have no effect on; default_place() does it too.
void print_notices();

/// The place itself, once its device is open. Throws Error if it can't be.
Place open_place(Place place);

/// The value on a place, row-major: itself if it is there, else a copy.
Array on_place(const Array& value, Place place);

}  // namespace hypatia
