#pragma once
// Work captured into a CUDA graph, and its replays with other arguments.

#include <vector>

#include "engine/device/cuda/module.h"
#include "engine/device/cuda/queue.h"
#include "engine/device/device.h"

namespace hypatia {

/// A CUDA graph with its instance, and the nodes whose arguments may change.
class CudaReplay final : public Replay {
 public:
  explicit CudaReplay(Context& context) : context_(context) {}

  ~CudaReplay() override;

  std::size_t launches() const override { return kernels_.size(); }

  void set_launch(std::size_t index, const Launch& launch, void* const* args) override;

  std::size_t copies() const override { return copies_.size(); }

  void set_copy(std::size_t index, void* to, const void* from, std::size_t bytes) override;

  /// Called by the device while the work is captured: the node just made by `stream`.
  void captured_launch(CUstream stream, const CudaKernel& kernel);
  void captured_copy(CUstream stream);
  /// Ends the stream's capture and makes the instance.
  void finish(CUstream stream);
  /// Ends the stream's capture and lets it go.
  void abandon(CUstream stream);
  void submit(CUstream stream);

  /// What was captured; the replay's own.
  CUgraph graph() const { return graph_; }

 private:
  struct KernelNode {
    CUgraphNode node;
    const CudaKernel* kernel;
  };

  struct CopyNode {
    CUgraphNode node;
    CUDA_MEMCPY3D copy;
  };

  CUgraphNode last_node(CUstream stream) const;

  Context& context_;
  CUgraph graph_ = nullptr;
  CUgraphExec instance_ = nullptr;
  std::vector<KernelNode> kernels_;
  std::vector<CopyNode> copies_;
};

/// What this thread captures now: work for `queue` goes to `stream`, so that other threads' work
/// on the queue stays out of the graph.
struct Capturing {
  CudaQueue* queue = nullptr;
  CUstream stream = nullptr;
  Ref<Replay> replay;  // a CudaReplay
};

Capturing& this_threads_capture();

}  // namespace hypatia
