#pragma once
// What a recording says of functions, nodes, plans, steps, lanes and details: plain data, written
// once each, so that events can be 32 bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/origin.h"
#include "engine/trace/event.h"

namespace hypatia {

/// Which of the three stacked bars a piece of work belongs to.
enum class Side : std::uint8_t { cpu, gpu, transfer };

/// One input of an apply node: an output of another node, or a leaf.
struct InputRecord {
  std::int32_t node = -1;  // position in FunctionRecord::nodes; -1: a leaf
  std::int32_t output = 0;
  std::string name;  // "x", "<TensorType(float64, vector)>", "TensorConstant{0.5}"
  std::string type;  // "TensorType(float64, vector)"
};

/// One operation of the scalar program that a fused node (Composite) runs for each element.
struct BodyOpRecord {
  std::string op;                    // "sigmoid"
  std::vector<std::int32_t> inputs;  // values: the node's inputs first, then one an operation
  std::int32_t output = -1;          // which of the node's outputs it is; -1: none
  double flops = 0;                  // an element, modelled
};

/// One apply node of an optimised graph, before kernels merge.
struct NodeRecord {
  std::string name;      // "GpuElemwise{exp,no_inplace}"
  std::string op;        // "exp"
  std::string op_class;  // "GpuElemwise"
  std::string label;     // the variable's name, if the user gave one
  Side side = Side::cpu;
  std::vector<InputRecord> inputs;
  std::vector<std::string> output_types;
  Origin origin;             // the user's line
  std::string reason;        // why it stayed on the CPU, or why this copy is needed; may be empty
  std::int32_t parent = -1;  // the node whose body it belongs to (scan); -1: none
  std::vector<BodyOpRecord> body;  // of a fused node, in execution order
};

/// A function as it was compiled.
struct FunctionRecord {
  std::string name;
  Origin origin;
  std::string device;             // "cpu", "cuda0", "sim0"
  std::vector<NodeRecord> nodes;  // in execution order
  double grad_seconds = 0;        // in grad() since the function before
  double rewrite_seconds = 0;
  double codegen_seconds = 0;
  double compile_seconds = 0;  // compilers and module loading
};

/// A share of a step that belongs to a node; the shares of a step sum to 1.
struct StepShare {
  std::uint32_t node = 0;
  double share = 1;
};

/// One step of a plan: a kernel, a library call, a copy or host work, with its concrete sizes.
struct StepRecord {
  std::string name;  // the kernel's entry, "gemv", "HostFromGpu"
  Side side = Side::cpu;
  std::vector<StepShare> nodes;
  double flops = 0;          // per call
  double bytes = 0;          // read and written, per call
  std::int32_t source = -1;  // position in PlanRecord::sources
  std::string shapes;        // "(400, 784) (784,) -> (400,)"
};

/// A buffer of a plan: who makes it, how long it lives, whether it reuses another's memory.
struct BufferRecord {
  std::uint32_t node = 0;
  std::int64_t bytes = 0;
  std::int32_t first_step = 0, last_step = 0;
  std::int32_t slot = 0;  // buffers of one slot share memory
  char kind = 'c';        // c created, i in place, v view
  bool on_device = false;
};

/// A function's plan for one set of dims.
struct PlanRecord {
  std::uint32_t function = 0;
  std::string dims;
  std::vector<StepRecord> steps;
  std::vector<BufferRecord> buffers;
  std::vector<std::string> sources;  // kernel texts
};

/// A row of the timeline.
struct LaneRecord {
  enum class Kind : std::uint8_t { host_thread, api, stream, copy_in, copy_out, sync, overhead };
  Kind kind = Kind::host_thread;
  std::string device;    // "" on the host
  std::uint64_t id = 0;  // thread or stream number
  std::string name;      // "main thread", "cuda0 stream 7"
};

/// What a kernel or copy event says beyond its times; equal details are stored once.
struct DetailRecord {
  std::string name;        // the kernel's or API call's name
  std::int64_t bytes = 0;  // copies
  std::int32_t grid[3]{}, block[3]{};
  std::int32_t registers = 0, static_shared = 0, dynamic_shared = 0;
  std::uint8_t source_memory = 0, target_memory = 0;  // 1 pageable, 2 pinned, 3 device

  bool operator==(const DetailRecord&) const = default;
};

/// One thing a device did, as CUPTI or the simulator reports it; times are on now()'s scale.
struct Activity {
  EventKind kind = EventKind::kernel;
  std::int64_t begin = 0, end = 0;                // on the device
  std::int64_t submit_begin = 0, submit_end = 0;  // the host's API call; 0, 0 if unknown
  std::int16_t device = 0;                        // context number
  std::uint32_t stream = 0;
  std::uint32_t call = 0, step = 0;  // whose work it is; 0: to be found by the join
  std::uint8_t flags = 0;
  std::string owner;  // where it is no step's: "shared variable w"; "" if nobody said
  DetailRecord detail;
};

}  // namespace hypatia
