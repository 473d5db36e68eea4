#pragma once
// Streams, events, and the small table that sends a capturing thread's work to its own stream.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/device/cuda/context.h"
#include "engine/device/device.h"

namespace hypatia {

class BlasHandle;
class CudnnHandle;

/// The streams besides a device's default one; queues enter and leave by themselves.
class SideStreams {
 public:
  void add(CUstream stream);
  void remove(CUstream stream);
  /// Costs one load in programs that have none.
  std::vector<CUstream> all();

 private:
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::vector<CUstream> streams_;
};

/// A CUDA stream, with the handles of cuBLAS and cuDNN that submit to it.
class CudaQueue final : public Queue {
 public:
  /// `side`: the list to be in; null for the default queue.
  CudaQueue(Context& context, SideStreams* side);
  ~CudaQueue() override;
  void synchronize() override;

  CUstream stream() const { return stream_; }

  Context& context() const { return context_; }

  /// Guards `blas`: a cuBLAS handle serves one thread at a time.
  std::mutex blas_mutex;
  std::unique_ptr<BlasHandle> blas;  // made by the first product
  /// The same of cuDNN.
  std::mutex dnn_mutex;
  std::unique_ptr<CudnnHandle> dnn;  // made by the first convolution

 private:
  Context& context_;
  SideStreams* side_;
  CUstream stream_ = nullptr;
};

/// A CUDA event that keeps time.
class CudaMarker final : public Marker {
 public:
  CudaMarker(Context& context, CUstream stream);
  ~CudaMarker() override;
  void synchronize() override;
  double seconds_since(Marker& earlier) override;

  CUevent event() const { return event_; }

 private:
  Context& context_;
  CUevent event_ = nullptr;
};

}  // namespace hypatia
