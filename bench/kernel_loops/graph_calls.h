#pragma once
// The driver's calls that read a captured graph and make one like it; the engine needs none.

#include <cuda.h>

namespace hypatia::kernel_loops {

struct GraphCalls {
  decltype(&cuGraphCreate) create;
  decltype(&cuGraphGetNodes) nodes;
  decltype(&cuGraphNodeGetType) type;
  decltype(&cuGraphKernelNodeGetParams) kernel_node;
  decltype(&cuGraphAddKernelNode) add_kernel;
  decltype(&cuGraphAddChildGraphNode) add_child;
  decltype(&cuGraphKernelNodeCopyAttributes) copy_attributes;
  decltype(&cuKernelGetFunction) function_of;
  decltype(&cuFuncGetName) name;
  decltype(&cuFuncGetParamInfo) parameter;
  decltype(&cuMemGetAddressRange) range;
};

/// Ends the program where the driver lacks one of them: that is one older than CUDA 12.4.
const GraphCalls& graph_calls();

}  // namespace hypatia::kernel_loops
