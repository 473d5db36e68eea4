#pragma once
// Where the time of a recording went: per step, per apply node, per function, in both bases.
// Resource time adds up work wherever it ran and may exceed the clock; wall time attributes each
// moment once. Time on a device belongs to the node that launched it.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/analyze/parts.h"
#include "profiler/record/recording.h"

namespace hypatia {

/// Work over time, compared with what the device can do.
struct Rate {
  double flops = 0;          // per call
  double bytes = 0;          // per call
  double gflops = 0;         // 1e9 operations a second
  double gigabytes = 0;      // 1e9 bytes a second
  double roof = 0;           // share of the nearer ceiling, 0 to 1; 0: unknown
  bool memory_bound = true;  // which ceiling that is
};

struct NodeAccount {
  NodeId id;
  Parts parts;                 // of all calls
  WallTimes wall;              // of all calls
  std::int64_t calls = 0;      // times that it ran
  double median = 0, p90 = 0;  // nanoseconds of work per call
  Rate rate;
  bool approximate = false;  // ≈: a share of a merged kernel's time, by modelled cost
  std::uint32_t step = 0;    // the last plan's step that runs it; 0: none
};

struct FunctionAccount {
  std::uint32_t id = 0;
  std::int64_t calls = 0;
  double call_time = 0;            // nanoseconds from argument checks to return, of all calls
  double step_time = 0;            // of these, inside steps
  double first_call = 0;           // nanoseconds of the first recorded call
  double median = 0, p90 = 0;      // nanoseconds per call
  double compile_time = 0;         // nanoseconds of compilers and module loading in its calls
  std::int64_t launches = 0;       // kernels and copies submitted
  std::vector<NodeAccount> nodes;  // by position
  Parts other;                     // work of no node
  Parts parts;                     // all nodes and `other`
  WallTimes wall;                  // all that its events are credited with
};

struct StepAccount {
  Parts parts;
  WallTimes wall;
  std::int64_t calls = 0;
  std::int64_t device_events = 0, launches = 0;
  double median = 0, p90 = 0;
  std::uint32_t detail = 0;  // of its last kernel or copy
};

struct Account {
  std::vector<FunctionAccount> functions;  // by id - 1
  std::vector<StepAccount> steps;          // by id - 1
  WallTimes wall;                          // sums to the recording's length
  Parts outside;                           // device work that belongs to no function

  const FunctionAccount* function(std::uint32_t id) const {
    return id == 0 || id > functions.size() ? nullptr : &functions[id - 1];
  }

  const NodeAccount* node(NodeId id) const {
    const FunctionAccount* owner = function(id.function);
    return owner && id.node < owner->nodes.size() ? &owner->nodes[id.node] : nullptr;
  }
};

/// One pass over all events; 10 million take a few seconds.
Account account_for(const Recording& recording);

/// Nanoseconds at a quantile (0.5: the median) of unsorted values; 0 of none.
double quantile(std::vector<double> values, double at);

}  // namespace hypatia
