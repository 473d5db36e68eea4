#include "engine/device/cuda/cudnn.h"

#include "engine/device/cuda/cudnn_calls.h"
#include "engine/device/cuda/loader.h"

namespace hypatia {

namespace {

LoadedLibrary the_library() {
  return load_cuda_library({"libcudnn.so.9", "libcudnn.so.8"});
}

FoundCudnn load_cudnn() {
  const LoadedLibrary from = the_library();
  if (!from.handle) return {0, from.reason};
  std::size_t (*version)() = nullptr;
  if (!from.bind(version, "cudnnGetVersion")) return {0, from.path + " is no cuDNN"};
  return {version(), ""};
}

/// libcudnn only passes calls on, and ends the process where a part that it wants is missing: they
/// are opened beforehand, in the order in which they need each other. "" if all are there.
std::string missing_part(std::size_t version) {
  const bool nine = version >= 90000;
  const std::vector<const char*> parts =
      nine ? std::vector<const char*>{"graph", "ops", "cnn"}
           : std::vector<const char*>{"ops_infer", "ops_train", "cnn_infer", "cnn_train"};
  for (const char* part : parts) {
    const std::string name = std::string("libcudnn_") + part + (nine ? ".so.9" : ".so.8");
    const LoadedLibrary opened = load_cuda_library({name});
    if (!opened.handle) return "cuDNN is not complete: " + opened.reason;
  }
  return "";
}

namespace bound {

using cudnn::Calls;

bool descriptors(Calls& c, const LoadedLibrary& from) {
  return from.bind(c.create_tensor, "cudnnCreateTensorDescriptor") &&
         from.bind(c.destroy_tensor, "cudnnDestroyTensorDescriptor") &&
         from.bind(c.set_tensor, "cudnnSetTensor4dDescriptor") &&
         from.bind(c.create_filter, "cudnnCreateFilterDescriptor") &&
         from.bind(c.destroy_filter, "cudnnDestroyFilterDescriptor") &&
         from.bind(c.set_filter, "cudnnSetFilter4dDescriptor") &&
         from.bind(c.create_layer, "cudnnCreateConvolutionDescriptor") &&
         from.bind(c.destroy_layer, "cudnnDestroyConvolutionDescriptor") &&
         from.bind(c.set_layer, "cudnnSetConvolution2dDescriptor") &&
         from.bind(c.set_math, "cudnnSetConvolutionMathType");
}

bool algorithms(Calls& c, const LoadedLibrary& from) {
  return from.bind(c.find_forward, "cudnnGetConvolutionForwardAlgorithm_v7") &&
         from.bind(c.find_backward_data, "cudnnGetConvolutionBackwardDataAlgorithm_v7") &&
         from.bind(c.find_backward_filter, "cudnnGetConvolutionBackwardFilterAlgorithm_v7") &&
         from.bind(c.forward_workspace, "cudnnGetConvolutionForwardWorkspaceSize") &&
         from.bind(c.backward_data_workspace, "cudnnGetConvolutionBackwardDataWorkspaceSize") &&
         from.bind(c.backward_filter_workspace, "cudnnGetConvolutionBackwardFilterWorkspaceSize");
}

bool work(Calls& c, const LoadedLibrary& from) {
  return from.bind(c.create, "cudnnCreate") && from.bind(c.destroy, "cudnnDestroy") &&
         from.bind(c.set_stream, "cudnnSetStream") &&
         from.bind(c.error_string, "cudnnGetErrorString") &&
         from.bind(c.forward, "cudnnConvolutionForward") &&
         from.bind(c.backward_data, "cudnnConvolutionBackwardData") &&
         from.bind(c.backward_filter, "cudnnConvolutionBackwardFilter");
}

}  // namespace bound

cudnn::FoundCalls load_calls() {
  const FoundCudnn found = find_cudnn();
  if (found.version == 0) return {nullptr, found.reason};
  if (found.version < 8000) {
    return {nullptr, "cuDNN " + std::to_string(found.version) + " is older than 8"};
  }
  if (const std::string missing = missing_part(found.version); !missing.empty())
    return {nullptr, missing};
  const LoadedLibrary from = the_library();
  cudnn::Calls& calls = *new cudnn::Calls{};  // lives as long as the process, like the library
  if (!bound::descriptors(calls, from) || !bound::algorithms(calls, from) ||
      !bound::work(calls, from)) {
    return {nullptr, from.path + " lacks convolutions; install cuDNN 8 or 9"};
  }
  return {&calls, ""};
}

}  // namespace

FoundCudnn find_cudnn() {
  return once_a_search(load_cudnn);
}

std::string why_no_cudnn() {
  return cudnn::find_calls().reason;
}

cudnn::FoundCalls cudnn::find_calls() {
  return once_a_search(load_calls);
}

}  // namespace hypatia
