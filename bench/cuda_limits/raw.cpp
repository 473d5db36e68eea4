#include "bench/cuda_limits/raw.h"

#include <cstdio>
#include <cstdlib>

#include "engine/device/cuda/compiler.h"

#include "bench/cuda_limits/kernels.h"

namespace hypatia::limits {

namespace {

template <class T>
CUdeviceptr ramp(const Raw& raw, std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<T>(static_cast<double>(i * 7919 % 10007) / 10007.0);
  const CUdeviceptr address = raw.device_memory(n * sizeof(T));
  require(raw.driver->copy_in(address, values.data(), n * sizeof(T), raw.stream), "copy");
  raw.synchronize();
  return address;
}

}  // namespace

void require(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s failed with CUDA error %d\n", what, static_cast<int>(result));
  std::exit(1);
}

Raw::Raw() {
  const FoundDriver found = find_driver();
  if (!found.driver) {
    std::fprintf(stderr, "no CUDA device: %s\n", found.reason.c_str());
    std::exit(3);
  }
  driver = found.driver;
  CUcontext context = nullptr;
  require(driver->device(&device, 0), "finding the GPU");
  require(driver->retain_context(&context, device), "making a context");
  require(driver->set_current(context), "using the context");
  require(driver->create_stream(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
  Capability capability;
  driver->attribute(&capability.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver->attribute(&capability.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  const CudaBinary binary = compile_for(kernels(), capability, "");
  require(
      driver->load_module_with_log(&module_, binary.code.data(), 0, nullptr, nullptr),
      "loading the kernels");
}

CUdeviceptr Raw::device_memory(std::size_t bytes) const {
  CUdeviceptr address = 0;
  require(driver->allocate(&address, bytes), "device memory");
  return address;
}

CUdeviceptr Raw::device_floats(std::size_t n) const {
  return ramp<float>(*this, n);
}

CUdeviceptr Raw::device_doubles(std::size_t n) const {
  return ramp<double>(*this, n);
}

void* Raw::pinned_memory(std::size_t bytes) const {
  void* address = nullptr;
  require(driver->allocate_host(&address, bytes, CU_MEMHOSTALLOC_PORTABLE), "page-locked memory");
  return address;
}

CUfunction Raw::function(const char* name) const {
  CUfunction found = nullptr;
  require(driver->function(&found, module_, name), name);
  return found;
}

CUgraphExec Raw::graph(const std::function<void()>& work) const {
  CUgraph graph = nullptr;
  CUgraphExec instance = nullptr;
  require(driver->begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), "begin capture");
  work();
  require(driver->end_capture(stream, &graph), "end capture");
  require(driver->instantiate(&instance, graph, 0), "instantiate");
  return instance;
}

void Raw::launch(CUfunction kernel, unsigned grid, unsigned x, unsigned y, void** args) const {
  require(driver->launch(kernel, grid, 1, 1, x, y, 1, 0, stream, args, nullptr), "launch");
}

void Raw::synchronize() const {
  require(driver->synchronize_stream(stream), "synchronize");
}

}  // namespace hypatia::limits
