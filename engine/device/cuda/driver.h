#pragma once
// The CUDA driver's functions, taken from libcuda.so.1 at run time. Names are the driver's own
// without the prefix cu.

#include <cuda.h>
#include <string>

namespace hypatia {

/// The driver's second form of capture information, which CUDA 12 and 13 both have.
using CaptureInfo = CUresult (*)(
    CUstream stream,
    CUstreamCaptureStatus* status,
    cuuint64_t* id,
    CUgraph* graph,
    const CUgraphNode** dependencies,
    std::size_t* count);

/// One pointer a function. Types come from the header, so that a wrong call does not compile.
struct Driver {
  decltype(&cuInit) init;
  decltype(&cuDriverGetVersion) version;
  decltype(&cuGetErrorName) error_name;
  decltype(&cuGetErrorString) error_text;

  decltype(&cuDeviceGetCount) device_count;
  decltype(&cuDeviceGet) device;
  decltype(&cuDeviceGetName) device_name;
  decltype(&cuDeviceGetAttribute) attribute;
  decltype(&cuDeviceTotalMem) total_memory;
  decltype(&cuDevicePrimaryCtxRetain) retain_context;
  decltype(&cuCtxSetCurrent) set_current;
  decltype(&cuCtxSynchronize) synchronize;

  decltype(&cuModuleLoadDataEx) load_module_with_log;
  decltype(&cuModuleUnload) unload_module;
  decltype(&cuModuleGetFunction) function;
  decltype(&cuModuleGetGlobal) global;
  decltype(&cuFuncSetAttribute) set_function_attribute;
  decltype(&cuFuncGetAttribute) function_attribute;
  decltype(&cuLaunchKernel) launch;

  decltype(&cuMemAlloc) allocate;
  decltype(&cuMemFree) free;
  decltype(&cuMemGetInfo) memory_info;
  decltype(&cuMemHostAlloc) allocate_host;
  decltype(&cuMemFreeHost) free_host;
  decltype(&cuMemcpyHtoDAsync) copy_in;
  decltype(&cuMemcpyDtoHAsync) copy_out;
  decltype(&cuMemcpyAsync) copy;
  decltype(&cuMemsetD8Async) fill;

  decltype(&cuStreamCreate) create_stream;
  decltype(&cuStreamDestroy) destroy_stream;
  decltype(&cuStreamSynchronize) synchronize_stream;
  decltype(&cuStreamWaitEvent) wait_event;
  decltype(&cuEventCreate) create_event;
  decltype(&cuEventDestroy) destroy_event;
  decltype(&cuEventRecord) record_event;
  decltype(&cuEventQuery) query_event;
  decltype(&cuEventSynchronize) synchronize_event;
  decltype(&cuEventElapsedTime) elapsed;

  decltype(&cuStreamBeginCapture) begin_capture;
  decltype(&cuStreamEndCapture) end_capture;
  CaptureInfo capture_info;
  decltype(&cuGraphInstantiateWithFlags) instantiate;
  decltype(&cuGraphLaunch) launch_graph;
  decltype(&cuGraphDestroy) destroy_graph;
  decltype(&cuGraphExecDestroy) destroy_instance;
  decltype(&cuGraphExecKernelNodeSetParams) set_kernel_node;
  decltype(&cuGraphMemcpyNodeGetParams) copy_node;
  decltype(&cuGraphExecMemcpyNodeSetParams) set_copy_node;
};

/// The driver, initialised, or null and the reason in one clause.
struct FoundDriver {
  const Driver* driver = nullptr;
  std::string reason;
};

FoundDriver find_driver();

/// "CUDA 13.0, driver 580.95"; the second part only where /proc tells it.
std::string driver_text(const Driver& driver);

}  // namespace hypatia
