#pragma once
// Runs the kernels of a captured graph in loops between events.

#include <functional>
#include <map>
#include <span>
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

/// What loops took, in nanoseconds a trip.
struct LoopResult {
  double period = 0;            // by events
  StampedTimes stamps;          // of the same loops; zeros without CUPTI
  std::vector<SeenWork> works;  // of one trip, by place; empty without CUPTI
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
  /// Kernels, copies and fills in a graph.
  std::size_t works_in(CUgraph graph) const;

  /// Loops over one kernel. `snapshot` is put back before every loop.
  LoopResult run(const GraphKernel& kernel, const Snapshot& snapshot);
  /// Loops over graphs that run one after another.
  LoopResult run(std::span<const CUgraph> graphs, const Snapshot& snapshot);
  /// Medians by place, by CUPTI, where the host waits for each trip before it submits the next one.
  std::vector<double> durations_apart(std::span<const CUgraph> graphs, const Snapshot& snapshot);

  CUstream stream() const { return stream_; }

  static constexpr int rounds = 15;

 private:
  /// Makes a graph of so many trips.
  using Maker = std::function<CUgraph(int trips)>;

  struct Trips {
    int few, many;
    std::size_t works;  // a trip
  };

  CUgraph loop_of(const GraphKernel& kernel, int trips) const;
  CUgraph loop_of(std::span<const CUgraph> graphs, int trips) const;
  CUgraphExec ready(CUgraph graph) const;
  LoopResult run(const Maker& make, const Trips& trips, const Snapshot& snapshot);
  void read_stamps(LoopResult& result, const Trips& trips);
  double time(CUgraphExec loop, std::size_t works, const Snapshot& snapshot);
  void keep_busy(std::size_t works) const;

  const Driver& driver_;
  Stamps* stamps_;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  Ref<Module> own_kernels_;
  CUfunction busy_ = nullptr;
};

}  // namespace hypatia::kernel_loops
