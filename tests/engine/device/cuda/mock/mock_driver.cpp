// The driver's part of the mock: without its header, whose macros rename the functions.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/engine/device/cuda/mock/mock_gpu.h"

using Work = std::function<void()>;

namespace {

constexpr int ok = 0, not_supported = 801;
constexpr std::size_t all_memory = std::size_t{4} << 30U;

struct Graph {
  std::vector<Work> nodes;
};

using Address = unsigned long long;

void* at(Address address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace

struct CUstream_st {
  std::unique_ptr<Graph> capture;  // while it is captured
};

void mock_submit(CUstream_st* stream, const Work& work) {
  stream && stream->capture ? stream->capture->nodes.push_back(work) : work();
}

// NOLINTBEGIN(readability-identifier-naming): names of the driver's library
extern "C" {

MockGpu* mock_gpu() {
  static MockGpu state;
  return &state;
}

int cuInit(unsigned) {
  return ok;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return ok;
}

int cuGetErrorName(int, const char** name) {
  *name = "CUDA_ERROR_MOCK";
  return ok;
}

int cuGetErrorString(int, const char** text) {
  *text = "a mock's error";
  return ok;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return ok;
}

int cuDeviceGet(int* device, int) {
  *device = 0;
  return ok;
}

int cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "a mock of a GPU");
  return ok;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;  // the major number of the compute capability
  return ok;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = all_memory;
  return ok;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = context;
  return ok;
}

int cuCtxSetCurrent(void*) {
  return ok;
}

int cuCtxSynchronize() {
  ++mock_gpu()->synchronized;
  return ok;
}

int cuModuleLoadDataEx(void**, const void*, unsigned, int*, void**) {
  return not_supported;
}

int cuModuleUnload(void*) {
  return ok;
}

int cuModuleGetFunction(void**, void*, const char*) {
  return not_supported;
}

int cuModuleGetGlobal_v2(Address*, std::size_t*, void*, const char*) {
  return not_supported;
}

int cuFuncSetAttribute(void*, int, int) {
  return ok;
}

int cuFuncGetAttribute(int*, int, void*) {
  return ok;
}

int cuLaunchKernel() {
  return not_supported;
}

int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  void* made = nullptr;
  if (bytes > all_memory || posix_memalign(&made, 512, bytes) != 0) return 2;
  std::memset(made, 0xff, std::min<std::size_t>(bytes, 1U << 20U));  // NaN, for who does not write
  *address = reinterpret_cast<Address>(made);
  return ok;
}

int cuMemFree_v2(Address address) {
  std::free(at(address));
  return ok;
}

int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  *free_bytes = *total = all_memory;
  return ok;
}

int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return ok;
}

int cuMemFreeHost(void* address) {
  std::free(address);
  return ok;
}

int cuMemcpyAsync(Address to, Address from, std::size_t bytes, CUstream_st* stream) {
  mock_submit(stream, [=] { std::memmove(at(to), at(from), bytes); });
  return ok;
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, CUstream_st* stream) {
  return cuMemcpyAsync(to, reinterpret_cast<Address>(from), bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, CUstream_st* stream) {
  return cuMemcpyAsync(reinterpret_cast<Address>(to), from, bytes, stream);
}

int cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, CUstream_st* stream) {
  mock_submit(stream, [=] { std::memset(at(to), value, bytes); });
  return ok;
}

int cuStreamCreate(CUstream_st** stream, unsigned) {
  *stream = new CUstream_st;
  return ok;
}

int cuStreamDestroy_v2(CUstream_st* stream) {
  delete stream;
  return ok;
}

int cuStreamSynchronize(CUstream_st*) {
  return ok;
}

int cuStreamWaitEvent(CUstream_st*, void*, unsigned) {
  return ok;
}

int cuEventCreate(void** event, unsigned) {
  *event = event;
  return ok;
}

int cuEventDestroy_v2(void*) {
  return ok;
}

int cuEventRecord(void*, CUstream_st*) {
  return ok;
}

int cuEventQuery(void*) {
  return ok;
}

int cuEventSynchronize(void*) {
  return ok;
}

int cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 1;
  return ok;
}

int cuStreamBeginCapture_v2(CUstream_st* stream, int) {
  stream->capture = std::make_unique<Graph>();
  return ok;
}

int cuStreamEndCapture(CUstream_st* stream, Graph** graph) {
  *graph = stream->capture.release();
  return ok;
}

int cuStreamGetCaptureInfo_v2(
    CUstream_st* stream,
    int* status,
    unsigned long long*,
    Graph** graph,
    void* const** nodes,
    std::size_t* count) {
  static void* const node = nullptr;
  *status = 1;
  *graph = stream->capture.get();
  *nodes = &node;
  *count = 1;
  return ok;
}

int cuGraphInstantiateWithFlags(Graph** instance, Graph* graph, unsigned long long) {
  *instance = new Graph(*graph);
  return ok;
}

int cuGraphLaunch(Graph* instance, CUstream_st*) {
  ++mock_gpu()->graphs;
  for (const Work& work : instance->nodes)
    work();
  return ok;
}

int cuGraphDestroy(Graph* graph) {
  delete graph;
  return ok;
}

int cuGraphExecDestroy(Graph* instance) {
  delete instance;
  return ok;
}

int cuGraphExecKernelNodeSetParams_v2() {
  return not_supported;
}

int cuGraphMemcpyNodeGetParams(void*, void* params) {
  std::memset(params, 0, 200);
  return ok;
}

int cuGraphExecMemcpyNodeSetParams() {
  return not_supported;
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
