// The only file that is compiled with these paths, so that a compiler cache serves every checkout.
#include "tests/checkout.h"

namespace hypatia::tests {

std::string checkout() {
  return HYPATIA_SOURCE_DIR;
}

std::string mock_gpu_folder() {
  return HYPATIA_MOCK_GPU_DIR;
}

std::string mock_cupti() {
  return HYPATIA_MOCK_CUPTI_DIR;
}

std::string mock_nvtx() {
  return HYPATIA_MOCK_NVTX;
}

}  // namespace hypatia::tests
