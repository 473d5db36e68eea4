#pragma once
// Whether cuDNN is there; convolution.h runs convolutions by it.

#include <cstddef>
#include <string>

namespace hypatia {

/// What libcudnn says of itself, e.g. 91300; 0, and why in one clause, where it can't be loaded.
struct FoundCudnn {
  std::size_t version = 0;
  std::string reason;
};

FoundCudnn find_cudnn();

/// Why cuDNN can't run convolutions, in one clause; "" where it can. Loads all of it.
std::string why_no_cudnn();

}  // namespace hypatia
