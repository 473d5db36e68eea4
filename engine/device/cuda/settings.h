#pragma once
// What the user may choose about the cuda device.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"

namespace hypatia {

struct CudaSettings {
  double preallocate = 0;  // gpuarray.preallocate: below 0 no pooling, to 1 a fraction, above in MB
  std::size_t memory_limit = 0;      // most bytes that the pool may hold; 0: all that the GPU has
  bool tf32 = false;                 // let products of float32 run in TensorFloat-32
  std::string kernel_folder;         // of compiled kernels; "": none are kept
  std::vector<std::string> options;  // for every kernel's compilation
};

/// The settings that the configuration asks for.
CudaSettings configured_cuda_settings();

/// NVRTC's options for nvcc.flags and nvcc.fastmath. Throws Error of kind config for an option that
/// only nvcc has.
std::vector<std::string> nvrtc_options(std::string_view nvcc_flags, bool fast_math);

/// open_cuda with other settings than the configuration's.
Opened open_cuda_with(std::string_view spec, Place place, const CudaSettings& settings);

}  // namespace hypatia
