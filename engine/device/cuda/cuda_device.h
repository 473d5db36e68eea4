#pragma once
// The cuda device: puts context, memory, kernels, copies, products and graphs behind Device.

#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/device/cuda/capture.h"
#include "engine/device/cuda/memory.h"
#include "engine/device/cuda/pinned.h"
#include "engine/device/cuda/queue.h"
#include "engine/device/cuda/settings.h"
#include "engine/device/cuda/staging.h"
#include "engine/device/device.h"

namespace hypatia {

/// One GPU through the CUDA driver.
class CudaDevice final : public Device, private MemoryAccess {
 public:
  CudaDevice(
      const Driver& driver,
      CUdevice device,
      CUcontext context,
      DeviceInfo info,
      Place place,
      CudaSettings settings);
  ~CudaDevice() override;

  const DeviceInfo& info() const override { return info_; }

  Dialect dialect() const override { return Dialect::cuda_c; }

  Ref<Storage> allocate(std::size_t bytes) override { return memory_.allocate(bytes); }

  Ref<Storage> allocate_pinned(std::size_t bytes) override { return pinned_.allocate(bytes); }

  Ref<Module> compile(const KernelSource& source) override;

  void launch(const Kernel& kernel, const Launch& launch, void* const* args, Queue* queue) override;
  void multiply(const MatrixProduct& product, Queue* queue) override;
  FoundConvolution convolution(const Convolution& wanted) override;
  void convolve(
      const LibraryConvolution& how, const ConvolutionMemory& memory, Queue* queue) override;

  void copy_in(
      Storage& to,
      std::size_t to_offset,
      const void* from,
      std::size_t bytes,
      Queue* queue) override;
  void copy_out(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) override;
  void copy_on(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) override;
  void fill(Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue* queue)
      override;
  void mark_written(Storage& to, Queue* queue) override;

  bool kernels_reach_pinned() const override { return true; }

  Ref<Queue> make_queue() override;
  Ref<Marker> record(Queue* queue) override;
  void wait(Queue* queue, Marker& marker) override;
  void synchronize() override;

  bool can_capture() const override { return true; }

  void begin_capture(Queue* queue) override;
  Ref<Replay> end_capture(Queue* queue) override;
  void submit(Replay& replay, Queue* queue) override;

  Memory memory() const override { return memory_.memory(); }

 private:
  void settle() override { synchronize(); }

  void read_device(const void* from, void* to, std::size_t bytes) override;
  void write_device(void* to, const void* from, std::size_t bytes) override;

  std::vector<CUstream> side_streams() override { return side_.all(); }

  CudaQueue& resolve(Queue* queue) {
    return queue ? static_cast<CudaQueue&>(*queue) : *default_queue_;
  }

  /// The queue's stream, or the one this thread captures it on.
  CUstream stream_of(const CudaQueue& queue) const;
  CudaReplay* capture_on(const CudaQueue& queue) const;
  void submit_kernel(
      const CudaKernel& kernel, const Launch& launch, void* const* args, CUstream stream);
  void copied(CudaQueue& queue, CUstream stream);
  void multiply_plainly(const MatrixProduct& product, CudaQueue& queue);
  FoundConvolution ask_cudnn(const Convolution& wanted, std::string_view algorithm);

  DeviceInfo info_;
  CudaSettings settings_;
  Context context_;
  // Order matters: storages wait through the queues, and go before the context.
  SideStreams side_;
  Ref<Queue> default_reference_;
  CudaQueue* default_queue_ = nullptr;
  mutable DeviceMemory memory_;
  PinnedMemory pinned_;
  Staging staging_;
  std::mutex products_mutex_;
  Ref<Module> products_;
  std::mutex convolutions_mutex_;
  // What cuDNN said, by the convolution and the configuration's word for its algorithm.
  std::map<std::pair<Convolution, std::string_view>, FoundConvolution> convolutions_;
};

}  // namespace hypatia
