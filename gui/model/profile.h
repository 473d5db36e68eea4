#pragma once
// A recording turned into what the views show: nodes with their costs, functions, where the wall
// clock went. Computed once when a file is opened, then never changed.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/app/base.h"

namespace hypatia::gui {

/// Nanoseconds by where they were spent; parts of a merged kernel are shared out among its nodes.
struct Costs {
  double host = 0;      // the host's own work: steps without what is counted below
  double launch = 0;    // in the driver's API
  double compile = 0;   // compilers and module loading
  double kernel = 0;    // on the device, fills and copies on the device included
  double copy_in = 0;   // host to device
  double copy_out = 0;  // device to host
  double sync = 0;      // the host waits for a device; shown beside, in none of the three sums
  double queue = 0;     // between the end of the launch and the kernel's begin; likewise

  double cpu() const { return host + launch + compile; }

  double gpu() const { return kernel; }

  double transfer() const { return copy_in + copy_out; }

  double total() const { return cpu() + gpu() + transfer(); }

  Costs& operator+=(const Costs& other);
  Costs scaled(double factor) const;
};

/// One apply node, or its share of merged steps.
struct NodeStats {
  NodeId id;
  const NodeRecord* record = nullptr;
  std::string line;    // "exercise.cpp:31"; empty if unknown
  std::string shapes;  // of its first step
  Costs costs;
  std::int64_t calls = 0;
  double flops = 0, bytes = 0;   // of all calls
  std::int64_t moved_bytes = 0;  // by copies
  bool estimated = false;        // a merged kernel's time was shared out by modelled cost
  std::vector<std::uint32_t> steps;
};

struct FunctionStats {
  std::uint32_t id = 0;
  const FunctionRecord* record = nullptr;
  std::int64_t calls = 0;
  double wall = 0;  // nanoseconds inside calls
  Costs costs;
  int first_node = 0, node_count = 0;  // in Profile::nodes
};

/// Where the wall clock of all calls went; the parts sum to the whole.
struct Wall {
  enum Part { gpu, transfer, sync, launch, compile, host, idle, count };

  std::array<double, count> parts{};

  double whole() const;
};

const char* name(Wall::Part part);

/// Everything the views show of one recording.
struct Profile {
  std::shared_ptr<const Recording> recording;
  std::vector<FunctionStats> functions;
  std::vector<NodeStats> nodes;  // function by function, in execution order
  Costs costs;                   // of all nodes
  Wall wall;
  std::string title;                  // "01_exp_test on cuda0"
  std::string verdict;                // one sentence
  std::vector<std::string> warnings;  // what the recording does not know

  /// The position of a node, -1 if there is none.
  int find(NodeId id) const;
  /// The node that the largest share of a step belongs to, -1 if there is none.
  int node_of_step(std::uint32_t step) const;
  /// The length of the recording in nanoseconds.
  double length() const;
};

std::shared_ptr<const Profile> make_profile(std::shared_ptr<const Recording> recording);

}  // namespace hypatia::gui
