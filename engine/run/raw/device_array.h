#pragma once
// Arrays in the device's memory, pinned arrays of the host, and copies between all of them.

#include <string>

#include "engine/core/array.h"
#include "engine/run/raw/stream.h"

namespace hypatia::cuda {

/// A copy in the memory of the device; `asarray` brings it back. It frees itself with its last
/// owner. `target`: "" for the default device, "dev1" for one of the flag `contexts`.
Array to_device(const Array& value, const std::string& target = "");
/// Uninitialised device memory.
Array empty(DType dtype, const Dims& dims, const std::string& target = "");
/// Device memory of zeros.
Array zeros(DType dtype, const Dims& dims, const std::string& target = "");
/// Host memory that copies fast and, with a stream, at the same time as kernels run.
Array pinned(DType dtype, const Dims& dims);

/// Copies the elements of one array into another of the same dtype and dims, wherever they lie:
/// host to device, back, or on the device. Row-major arrays only. With pinned memory it returns at
/// once. Throws Error if they differ.
void copy(const Array& from, const Array& to, const Stream& stream = {});

}  // namespace hypatia::cuda
