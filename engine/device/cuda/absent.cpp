// Stands in for the cuda device where the toolkit's headers were not found: every answer is why.
#include "engine/core/error.h"
#include "engine/device/cuda/compiler.h"
#include "engine/device/cuda/cuda.h"
#include "engine/device/cuda/cudnn.h"
#include "engine/device/cuda/settings.h"

namespace hypatia {

namespace {

constexpr const char* why = "this build has no CUDA headers (cuda.h)";
constexpr const char* remedy =
    "install the CUDA Toolkit (Debian: nvidia-cuda-toolkit), or point CUDA_HOME at it, and build "
    "again";

}  // namespace

CudaSettings configured_cuda_settings() {
  return {};
}

std::vector<std::string> nvrtc_options(std::string_view, bool) {
  return {};
}

Opened open_cuda_with(std::string_view spec, Place place, const CudaSettings&) {
  return open_cuda(spec, place);
}

Opened open_cuda(std::string_view spec, Place) {
  return {nullptr, std::string(spec) + ": " + why + "; " + remedy};
}

std::string nvrtc_reason() {
  return std::string(why) + "; " + remedy;
}

FoundCudnn find_cudnn() {
  return {0, why};
}

std::string why_no_cudnn() {
  return why;
}

std::string nvrtc_version() {
  return "";
}

std::string compile_to_ptx(const KernelSource&, const std::string&) {
  throw Error(Error::Kind::device, why, remedy);
}

CudaBinary compile_for(const KernelSource&, Capability, const std::string&) {
  throw Error(Error::Kind::device, why, remedy);
}

}  // namespace hypatia
