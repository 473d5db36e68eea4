#pragma once
// Convolutions through cuDNN, taken from libcudnn at run time.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/device/cuda/context.h"
#include "engine/device/cuda/cudnn_calls.h"
#include "engine/device/library.h"

namespace hypatia {

/// The configuration's word for the algorithm of such a convolution (dnn.conv.algo_fwd and its two
/// likes): "guess_once", "small", "fft", …
std::string_view configured_algorithm(Convolution::Makes makes);

/// What an algorithm may be.
struct AlgorithmLimits {
  std::string_view wanted;         // a word of the configuration
  bool fma_only = true;            // operands are multiplied as they are, on no tensor core
  std::size_t most_workspace = 0;  // bytes
};

/// The first candidate that always gives the same bits, keeps to the limits, and, where the
/// configuration names one, is that algorithm; else the first of any. Nothing if none will do.
std::optional<cudnn::Candidate> chosen(
    Convolution::Makes makes,
    std::span<const cudnn::Candidate> candidates,
    const AlgorithmLimits& limits);

/// "implicit_gemm", "winograd_non_fused", …
std::string algorithm_name(Convolution::Makes makes, int algorithm);

/// A cuDNN handle, for one queue; its user locks.
class CudnnHandle {
 public:
  /// Throws Error of kind device without cuDNN.
  explicit CudnnHandle(Context& context);
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  cudnn::Handle handle() const { return handle_; }

  const cudnn::Calls& calls() const { return calls_; }

  /// What is submitted from here on goes to the stream.
  void aim(CUstream stream);
  /// Throws Error of kind device that says what was being done.
  void check(cudnn::Status status, const std::string& doing) const;
  /// The same for work, where a fault of the GPU may be behind it. `name` lives for ever.
  void check_work(cudnn::Status status, const std::string* name) const;

  const std::string* keep_name(const std::string& name) const { return context_.keep_name(name); }

 private:
  Context& context_;
  const cudnn::Calls& calls_;
  cudnn::Handle handle_ = nullptr;
};

/// One convolution's descriptors and algorithm. They do not change, and serve several threads.
class CudnnConvolution final : public LibraryConvolution {
 public:
  /// Throws Error of kind device where cuDNN does not take it.
  CudnnConvolution(
      const Convolution& wanted, const CudnnHandle& handle, const AlgorithmLimits& limits);
  ~CudnnConvolution() override;

  const std::string& name() const override { return *name_; }

  std::size_t workspace() const override { return workspace_; }

  void submit(const CudnnHandle& handle, const ConvolutionMemory& memory) const;

 private:
  void describe(const CudnnHandle& handle);
  cudnn::Candidate find(const CudnnHandle& handle, const AlgorithmLimits& limits) const;
  std::size_t workspace_of(const CudnnHandle& handle) const;
  void give_back() noexcept;

  const cudnn::Calls& calls_;
  Convolution wanted_;
  cudnn::Tensor images_ = nullptr, results_ = nullptr;
  cudnn::Filter filters_ = nullptr;
  cudnn::Layer layer_ = nullptr;
  int algorithm_ = 0;
  std::size_t workspace_ = 0;
  const std::string* name_ = nullptr;  // kept by the context, for faults
};

}  // namespace hypatia
