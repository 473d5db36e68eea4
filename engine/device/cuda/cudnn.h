#pragma once
// Whether cuDNN is there. Nothing here needs it: convolutions and softmax are kernels of ours.

#include <cstddef>
#include <string>

namespace hypatia {

/// What libcudnn says of itself, e.g. 91300; 0, and why in one clause, where it can't be loaded.
struct FoundCudnn {
  std::size_t version = 0;
  std::string reason;
};

FoundCudnn find_cudnn();

}  // namespace hypatia
