#include "engine/device/cuda/cudnn.h"

#include "engine/device/cuda/loader.h"

namespace hypatia {

namespace {

FoundCudnn load_cudnn() {
  const LoadedLibrary from = load_cuda_library({"libcudnn.so.9", "libcudnn.so.8"});
  if (!from.handle) return {0, from.reason};
  std::size_t (*version)() = nullptr;
  if (!from.bind(version, "cudnnGetVersion")) return {0, from.path + " is no cuDNN"};
  return {version(), ""};
}

}  // namespace

FoundCudnn find_cudnn() {
  return once_a_search(load_cudnn);
}

}  // namespace hypatia
