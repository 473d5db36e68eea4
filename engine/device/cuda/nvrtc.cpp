// Binds the table once a search list.
#include "engine/device/cuda/nvrtc.h"

#include "engine/device/cuda/loader.h"

namespace hypatia {

namespace {

FoundNvrtc load_nvrtc() {
  const LoadedLibrary from = load_cuda_library({"libnvrtc.so.13", "libnvrtc.so.12"});
  if (!from.handle) {
    return {
        nullptr,
        "NVRTC, which compiles kernels, was not found (" + from.reason +
            "); install the CUDA Toolkit, or set CUDA_HOME",
    };
  }
  Nvrtc& n = *new Nvrtc{};  // lives as long as the process, like the library
  const bool whole =
      from.bind(n.version, "nvrtcVersion") && from.bind(n.error_text, "nvrtcGetErrorString") &&
      from.bind(n.architecture_count, "nvrtcGetNumSupportedArchs") &&
      from.bind(n.architectures, "nvrtcGetSupportedArchs") &&
      from.bind(n.create, "nvrtcCreateProgram") && from.bind(n.destroy, "nvrtcDestroyProgram") &&
      from.bind(n.compile, "nvrtcCompileProgram") && from.bind(n.ptx_size, "nvrtcGetPTXSize") &&
      from.bind(n.ptx, "nvrtcGetPTX") && from.bind(n.cubin_size, "nvrtcGetCUBINSize") &&
      from.bind(n.cubin, "nvrtcGetCUBIN") && from.bind(n.log_size, "nvrtcGetProgramLogSize") &&
      from.bind(n.log, "nvrtcGetProgramLog");
  if (!whole) return {nullptr, from.path + " is no complete NVRTC; install CUDA 12 or 13"};
  return {&n, ""};
}

}  // namespace

FoundNvrtc find_nvrtc() {
  return once_a_search(load_nvrtc);
}

}  // namespace hypatia
