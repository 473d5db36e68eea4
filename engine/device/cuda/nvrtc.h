#pragma once
// NVRTC's functions, taken from libnvrtc at run time. Names are NVRTC's own without the prefix.

#include <nvrtc.h>
#include <string>

namespace hypatia {

/// One pointer a function.
struct Nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_text;
  decltype(&nvrtcGetNumSupportedArchs) architecture_count;
  decltype(&nvrtcGetSupportedArchs) architectures;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetPTXSize) ptx_size;
  decltype(&nvrtcGetPTX) ptx;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
};

/// NVRTC, or null and the reason in one clause.
struct FoundNvrtc {
  const Nvrtc* nvrtc = nullptr;
  std::string reason;
};

FoundNvrtc find_nvrtc();

}  // namespace hypatia
