// Binds the table once a search list and initialises the driver.
#include "engine/device/cuda/driver.h"

#include <fstream>
#include <sstream>

#include "engine/device/cuda/loader.h"

namespace hypatia {

namespace {

// The names are those of the library, which keeps older forms beside the header's: _v2 takes sizes
// of 64 bits.
bool bind_devices(Driver& d, const LoadedLibrary& from) {
  return from.bind(d.init, "cuInit") && from.bind(d.version, "cuDriverGetVersion") &&
         from.bind(d.error_name, "cuGetErrorName") && from.bind(d.error_text, "cuGetErrorString") &&
         from.bind(d.device_count, "cuDeviceGetCount") && from.bind(d.device, "cuDeviceGet") &&
         from.bind(d.device_name, "cuDeviceGetName") &&
         from.bind(d.attribute, "cuDeviceGetAttribute") &&
         from.bind(d.total_memory, "cuDeviceTotalMem_v2") &&
         from.bind(d.retain_context, "cuDevicePrimaryCtxRetain") &&
         from.bind(d.set_current, "cuCtxSetCurrent") &&
         from.bind(d.synchronize, "cuCtxSynchronize");
}

bool bind_modules(Driver& d, const LoadedLibrary& from) {
  return from.bind(d.load_module_with_log, "cuModuleLoadDataEx") &&
         from.bind(d.unload_module, "cuModuleUnload") &&
         from.bind(d.function, "cuModuleGetFunction") &&
         from.bind(d.global, "cuModuleGetGlobal_v2") &&
         from.bind(d.set_function_attribute, "cuFuncSetAttribute") &&
         from.bind(d.function_attribute, "cuFuncGetAttribute") &&
         from.bind(d.launch, "cuLaunchKernel");
}

bool bind_memory(Driver& d, const LoadedLibrary& from) {
  return from.bind(d.allocate, "cuMemAlloc_v2") && from.bind(d.free, "cuMemFree_v2") &&
         from.bind(d.memory_info, "cuMemGetInfo_v2") &&
         from.bind(d.allocate_host, "cuMemHostAlloc") && from.bind(d.free_host, "cuMemFreeHost") &&
         from.bind(d.copy_in, "cuMemcpyHtoDAsync_v2") &&
         from.bind(d.copy_out, "cuMemcpyDtoHAsync_v2") && from.bind(d.copy, "cuMemcpyAsync") &&
         from.bind(d.fill, "cuMemsetD8Async");
}

bool bind_streams(Driver& d, const LoadedLibrary& from) {
  return from.bind(d.create_stream, "cuStreamCreate") &&
         from.bind(d.destroy_stream, "cuStreamDestroy_v2") &&
         from.bind(d.synchronize_stream, "cuStreamSynchronize") &&
         from.bind(d.wait_event, "cuStreamWaitEvent") &&
         from.bind(d.create_event, "cuEventCreate") &&
         from.bind(d.destroy_event, "cuEventDestroy_v2") &&
         from.bind(d.record_event, "cuEventRecord") && from.bind(d.query_event, "cuEventQuery") &&
         from.bind(d.synchronize_event, "cuEventSynchronize") &&
         from.bind(d.elapsed, "cuEventElapsedTime");
}

bool bind_graphs(Driver& d, const LoadedLibrary& from) {
  return from.bind(d.begin_capture, "cuStreamBeginCapture_v2") &&
         from.bind(d.end_capture, "cuStreamEndCapture") &&
         from.bind(d.capture_info, "cuStreamGetCaptureInfo_v2") &&
         from.bind(d.instantiate, "cuGraphInstantiateWithFlags") &&
         from.bind(d.launch_graph, "cuGraphLaunch") &&
         from.bind(d.destroy_graph, "cuGraphDestroy") &&
         from.bind(d.destroy_instance, "cuGraphExecDestroy") &&
         from.bind(d.set_kernel_node, "cuGraphExecKernelNodeSetParams_v2") &&
         from.bind(d.copy_node, "cuGraphMemcpyNodeGetParams") &&
         from.bind(d.set_copy_node, "cuGraphExecMemcpyNodeSetParams");
}

std::string why_init_failed(const Driver& driver, CUresult result) {
  const char* text = nullptr;
  driver.error_text(result, &text);
  return std::string("the NVIDIA driver does not start: ") + (text ? text : "unknown error");
}

FoundDriver load_driver() {
  const LoadedLibrary library = load_cuda_library({"libcuda.so.1"});
  if (!library.handle) {
    return {nullptr, "no NVIDIA driver was found (" + library.reason + ")"};
  }
  Driver& driver = *new Driver{};  // lives as long as the process, like the library
  if (!bind_devices(driver, library) || !bind_modules(driver, library) ||
      !bind_memory(driver, library) || !bind_streams(driver, library) ||
      !bind_graphs(driver, library)) {
    return {nullptr, "the NVIDIA driver is older than CUDA 12; install driver 525 or newer"};
  }
  const CUresult result = driver.init(0);
  if (result == CUDA_ERROR_NO_DEVICE) return {nullptr, "this machine has no NVIDIA GPU"};
  if (result != CUDA_SUCCESS) return {nullptr, why_init_failed(driver, result)};
  return {&driver, ""};
}

// The first word with a dot that begins with a digit: "… Kernel Module for x86_64  580.95.05  …".
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line, word;
  std::getline(file, line);
  std::istringstream words(line);
  while (words >> word) {
    if (word[0] >= '0' && word[0] <= '9' && word.find('.') != std::string::npos) return word;
  }
  return "";
}

}  // namespace

FoundDriver find_driver() {
  return once_a_search(load_driver);
}

std::string driver_text(const Driver& driver) {
  int version = 0;
  driver.version(&version);
  std::string text =
      "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  const std::string module = module_version();
  return module.empty() ? text : text + ", driver " + module;
}

}  // namespace hypatia
