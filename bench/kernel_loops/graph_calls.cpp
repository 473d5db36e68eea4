#include "bench/kernel_loops/graph_calls.h"

#include <cstdio>
#include <cstdlib>

#include "engine/device/cuda/loader.h"

namespace hypatia::kernel_loops {

namespace {

GraphCalls load() {
  const LoadedLibrary from = load_cuda_library({"libcuda.so.1"});
  GraphCalls calls{};
  const bool complete =
      from.handle && from.bind(calls.create, "cuGraphCreate") &&
      from.bind(calls.nodes, "cuGraphGetNodes") && from.bind(calls.type, "cuGraphNodeGetType") &&
      from.bind(calls.kernel_node, "cuGraphKernelNodeGetParams_v2") &&
      from.bind(calls.add_kernel, "cuGraphAddKernelNode_v2") &&
      from.bind(calls.add_child, "cuGraphAddChildGraphNode") &&
      from.bind(calls.copy_attributes, "cuGraphKernelNodeCopyAttributes") &&
      from.bind(calls.function_of, "cuKernelGetFunction") &&
      from.bind(calls.name, "cuFuncGetName") && from.bind(calls.parameter, "cuFuncGetParamInfo") &&
      from.bind(calls.range, "cuMemGetAddressRange_v2");
  if (complete) return calls;
  std::fprintf(stderr, "the NVIDIA driver is older than CUDA 12.4; install driver 550 or newer\n");
  std::exit(3);
}

}  // namespace

const GraphCalls& graph_calls() {
  static const GraphCalls calls = load();
  return calls;
}

}  // namespace hypatia::kernel_loops
