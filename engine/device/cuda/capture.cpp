#include "engine/device/cuda/capture.h"

#include "engine/core/error.h"

namespace hypatia {

Capturing& this_threads_capture() {
  static thread_local Capturing capturing;
  return capturing;
}

CudaReplay::~CudaReplay() {
  context_.try_use();
  if (instance_) context_.driver().destroy_instance(instance_);
  if (graph_) context_.driver().destroy_graph(graph_);
}

// What the stream's next work would depend on is what it did last.
CUgraphNode CudaReplay::last_node(CUstream stream) const {
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  context_.check(
      context_.driver().capture_info(stream, &status, &id, &graph, &nodes, &count),
      "reading a capture");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE || count != 1) {
    internal_error("a capture has no last node");
  }
  return nodes[0];
}

void CudaReplay::captured_launch(CUstream stream, const CudaKernel& kernel) {
  kernels_.push_back({last_node(stream), &kernel});
}

void CudaReplay::captured_copy(CUstream stream) {
  CopyNode at{last_node(stream), {}};
  context_.check(context_.driver().copy_node(at.node, &at.copy), "reading a captured copy");
  copies_.push_back(at);
}

void CudaReplay::finish(CUstream stream) {
  context_.check(context_.driver().end_capture(stream, &graph_), "ending a capture");
  context_.check(
      context_.driver().instantiate(&instance_, graph_, 0), "making a graph ready to replay");
}

void CudaReplay::abandon(CUstream stream) {
  context_.driver().end_capture(stream, &graph_);
}

void CudaReplay::submit(CUstream stream) {
  context_.check(context_.driver().launch_graph(instance_, stream), "a replay");
}

void CudaReplay::set_launch(std::size_t index, const Launch& launch, void* const* args) {
  if (index >= kernels_.size()) internal_error("the replay has no such launch");
  const KernelNode& at = kernels_[index];
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = at.kernel->function();
  params.gridDimX = launch.grid[0];
  params.gridDimY = launch.grid[1];
  params.gridDimZ = launch.grid[2];
  params.blockDimX = launch.block[0];
  params.blockDimY = launch.block[1];
  params.blockDimZ = launch.block[2];
  params.sharedMemBytes = launch.shared_bytes;
  params.kernelParams = const_cast<void**>(args);
  context_.use();
  context_.check_launch(
      context_.driver().set_kernel_node(instance_, at.node, &params), at.kernel->kept_name());
}

void CudaReplay::set_copy(std::size_t index, void* to, const void* from, std::size_t bytes) {
  if (index >= copies_.size()) internal_error("the replay has no such copy");
  CUDA_MEMCPY3D& copy = copies_[index].copy;
  // The kinds of memory must stay what they were, so that only addresses and size are changed.
  if (copy.srcMemoryType == CU_MEMORYTYPE_HOST) {
    copy.srcHost = from;
  } else {
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  }
  if (copy.dstMemoryType == CU_MEMORYTYPE_HOST) {
    copy.dstHost = to;
  } else {
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  }
  copy.WidthInBytes = bytes;
  context_.use();
  context_.check(
      context_.driver().set_copy_node(instance_, copies_[index].node, &copy, context_.handle()),
      "changing a captured copy");
}

}  // namespace hypatia
