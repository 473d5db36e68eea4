#pragma once
// The part of cuDNN's C interface that is called, declared here so that nothing needs its headers:
// a test compares these with <cudnn.h> where that is. Names and numbers are cuDNN's own, without
// its prefixes; they hold for cuDNN 8 and 9.

#include <cstddef>
#include <string>

struct CUstream_st;  // the driver's

namespace hypatia::cudnn {

// Of the numbers of cudnnStatus_t only this one is the same in all versions.
using Status = int;
inline constexpr Status success = 0;

enum class DataType : int { float32 = 0, float64 = 1 };
enum class Format : int { nchw = 0 };
enum class Mode : int { convolution = 0 };
enum class Determinism : int { no = 0, yes = 1 };

/// How float32 is multiplied. `standard` lets tensor cores round operands to TensorFloat-32, from
/// compute capability 8.0 on; `fma` does not; with `allow_conversion` they may become half floats.
enum class Math : int { standard = 0, tensor_op = 1, allow_conversion = 2, fma = 3 };

using Handle = struct HandleBody*;
using Tensor = struct TensorBody*;
using Filter = struct FilterBody*;
using Layer = struct LayerBody*;  // cudnnConvolutionDescriptor_t

/// cudnnConvolutionFwdAlgoPerf_t and its two likes, which differ in the type of `algorithm` alone.
struct Candidate {
  int algorithm;
  Status status;
  float time;
  std::size_t memory;
  Determinism determinism;
  Math math;
  int reserved[3];
};

/// One pointer a function.
struct Calls {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_stream)(Handle, CUstream_st*);
  const char* (*error_string)(Status);

  Status (*create_tensor)(Tensor*);
  Status (*destroy_tensor)(Tensor);
  Status (*set_tensor)(Tensor, Format, DataType, int n, int c, int h, int w);
  Status (*create_filter)(Filter*);
  Status (*destroy_filter)(Filter);
  Status (*set_filter)(Filter, DataType, Format, int k, int c, int h, int w);
  Status (*create_layer)(Layer*);
  Status (*destroy_layer)(Layer);
  Status (*set_layer)(
      Layer,
      int pad_h,
      int pad_w,
      int stride_h,
      int stride_w,
      int dilation_h,
      int dilation_w,
      Mode,
      DataType);
  Status (*set_math)(Layer, Math);

  // x are images, w filters, y results.
  Status (*find_forward)(
      Handle, Tensor x, Filter w, Layer, Tensor y, int most, int* count, Candidate*);
  Status (*find_backward_data)(
      Handle, Filter w, Tensor dy, Layer, Tensor dx, int most, int* count, Candidate*);
  Status (*find_backward_filter)(
      Handle, Tensor x, Tensor dy, Layer, Filter dw, int most, int* count, Candidate*);

  Status (*forward_workspace)(
      Handle, Tensor x, Filter w, Layer, Tensor y, int algorithm, std::size_t* bytes);
  Status (*backward_data_workspace)(
      Handle, Filter w, Tensor dy, Layer, Tensor dx, int algorithm, std::size_t* bytes);
  Status (*backward_filter_workspace)(
      Handle, Tensor x, Tensor dy, Layer, Filter dw, int algorithm, std::size_t* bytes);

  Status (*forward)(
      Handle,
      const void* alpha,
      Tensor x,
      const void* x_data,
      Filter w,
      const void* w_data,
      Layer,
      int algorithm,
      void* workspace,
      std::size_t workspace_bytes,
      const void* beta,
      Tensor y,
      void* y_data);
  Status (*backward_data)(
      Handle,
      const void* alpha,
      Filter w,
      const void* w_data,
      Tensor dy,
      const void* dy_data,
      Layer,
      int algorithm,
      void* workspace,
      std::size_t workspace_bytes,
      const void* beta,
      Tensor dx,
      void* dx_data);
  Status (*backward_filter)(
      Handle,
      const void* alpha,
      Tensor x,
      const void* x_data,
      Tensor dy,
      const void* dy_data,
      Layer,
      int algorithm,
      void* workspace,
      std::size_t workspace_bytes,
      const void* beta,
      Filter dw,
      void* dw_data);
};

/// cuDNN's calls, or null and the reason in one clause. Loads its libraries, some hundred megabytes
/// of address space, when first asked.
struct FoundCalls {
  const Calls* calls = nullptr;
  std::string reason;
};

FoundCalls find_calls();

}  // namespace hypatia::cudnn
