#pragma once
// CUDA C text to PTX or machine code through NVRTC, with a disk cache; needs no GPU.

#include <string>
#include <vector>

#include "engine/device/kernel.h"

namespace hypatia {

/// A compute capability: 9, 0 on an H100.
struct Capability {
  int major = 0, minor = 0;
};

/// Compiled text, ready for the driver.
struct CudaBinary {
  std::string code;  // a cubin, or PTX where NVRTC is older than the device
  bool from_cache = false;
  std::string cache_file;  // "" where the cache could not be written
};

/// Empty if NVRTC can be loaded, else why not, in one sentence.
std::string nvrtc_reason();
/// "13.0"; empty without NVRTC.
std::string nvrtc_version();

/// PTX for an architecture ("compute_90"). Throws Error of kind compile with the compiler's message
/// and the user's line, of kind device without NVRTC.
std::string compile_to_ptx(const KernelSource& source, const std::string& arch);

/// Machine code for a device, from the cache in `folder` if it was compiled before. An empty folder
/// means no cache. Throws as compile_to_ptx does.
CudaBinary compile_for(const KernelSource& source, Capability device, const std::string& folder);

}  // namespace hypatia
