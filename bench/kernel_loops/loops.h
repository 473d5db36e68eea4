#pragma once
// Runs the kernels of a captured graph in loops between events.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/device/cuda/driver.h"
#include "engine/device/device.h"

#include "bench/kernel_loops/graph_calls.h"
#include "bench/kernel_loops/stamps.h"

namespace hypatia::kernel_loops {

/// A kernel in a graph, as it was launched. Arguments belong to the graph's node.
struct GraphKernel {
  CUgraphNode node = nullptr;
  CUDA_KERNEL_NODE_PARAMS params{};
  CUfunction function = nullptr;
  std::string name;  // mangled, as CUPTI has it
  int registers = 0;
};

/// What loops over one kernel took, in nanoseconds a launch.
struct LoopResult {
  double period = 0;    // by events
  StampedTimes stamps;  // of the same loops; zeros without CUPTI
};

/// Device memory that kernels' arguments point into, as it was when they were added.
class Snapshot {
 public:
  explicit Snapshot(const Driver& driver) : driver_(driver) {}

  ~Snapshot();

  /// False if there is no memory for a copy, or the arguments can't be read.
  bool add(const GraphKernel& kernel, CUstream stream);
  void restore(CUstream stream) const;

 private:
  bool add_range(CUdeviceptr address, CUstream stream);

  struct Range {
    std::size_t bytes = 0;
    CUdeviceptr copy = 0;
  };

  const Driver& driver_;
  std::map<CUdeviceptr, Range> ranges_;
};

class Loops {
 public:
  /// `stamps` may be null: then CUPTI is not asked.
  Loops(const Driver& driver, Device& device, Stamps* stamps);

  std::vector<GraphKernel> kernels_of(CUgraph graph) const;
  /// `snapshot` is put back before every loop.
  LoopResult run(const GraphKernel& kernel, const Snapshot& snapshot);
  /// A kernel that does nothing, launched with the same grid, block and shared memory.
  LoopResult run_empty_twin(const GraphKernel& kernel);

  CUstream stream() const { return stream_; }

  static constexpr int rounds = 15;

 private:
  static constexpr int few = 20, many = 220;

  CUgraphExec loop_of(const GraphKernel& kernel, int launches) const;
  double time(CUgraphExec loop, const Snapshot& snapshot);
  void keep_busy() const;

  const Driver& driver_;
  Stamps* stamps_;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  Ref<Module> own_kernels_;
  CUfunction empty_ = nullptr, busy_ = nullptr;
  std::map<std::array<unsigned, 7>, LoopResult> twins_;
};

}  // namespace hypatia::kernel_loops
