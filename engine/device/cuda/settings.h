#pragma once
// What the user may choose about the cuda device; read when it is opened.

#include <cstddef>
#include <string>

namespace hypatia {

struct CudaSettings {
  double preallocate = 0;  // gpuarray.preallocate: below 0 no pooling, to 1 a fraction, above in MB
  std::size_t memory_limit = 0;  // most bytes that the pool may hold; 0: all that the GPU has
  bool tf32 = false;             // let products of float32 run in TensorFloat-32
  std::string kernel_folder;     // compiled kernels; "": the default folder
};

/// The settings of the next open_cuda; change them before it.
CudaSettings& cuda_settings();

}  // namespace hypatia
