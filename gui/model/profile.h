#pragma once
// A recording turned into what the views show: its account, with what each node is and where it was
// written. Computed once when a file is opened, then never changed.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/app/base.h"
#include "gui/model/track_index.h"
#include "profiler/analyze/account.h"
#include "profiler/analyze/advice.h"

namespace hypatia::gui {

/// One apply node, or its share of merged steps.
struct NodeStats {
  NodeId id;
  const NodeRecord* record = nullptr;
  const NodeAccount* account = nullptr;
  std::string line;             // "exercise.cpp:31"; empty if unknown
  std::string shapes;           // of its step
  double flops = 0, bytes = 0;  // of all calls

  const Parts& costs() const { return account->parts; }

  std::int64_t calls() const { return account->calls; }

  bool approximate() const { return account->approximate; }
};

struct FunctionStats {
  std::uint32_t id = 0;
  const FunctionRecord* record = nullptr;
  const FunctionAccount* account = nullptr;
  int first_node = 0, node_count = 0;  // in Profile::nodes
};

/// Everything the views show of one recording.
struct Profile {
  std::shared_ptr<const Recording> recording;
  Account account;
  std::vector<TrackIndex> indexes;  // of the recording's tracks
  std::vector<FunctionStats> functions;
  std::vector<NodeStats> nodes;  // function by function, in execution order
  Parts costs;                   // of all functions, work of no node included
  std::int64_t calls = 0;
  std::string title;                  // "01_exp_test on cuda0"
  std::string verdict;                // one sentence
  std::vector<Advice> advice;         // what to do, by falling gain
  std::vector<std::string> warnings;  // what the recording does not know

  const NodeStats& node(int position) const { return nodes[static_cast<std::size_t>(position)]; }

  const std::string& function_name(const NodeStats& of) const {
    return functions[of.id.function - 1].record->name;
  }

  /// The position of a node, -1 if there is none.
  int find(NodeId id) const;
  /// The node that the largest share of a step belongs to, -1 if there is none.
  int node_of_step(std::uint32_t step) const;
  /// The length of the recording in nanoseconds.
  double length() const;
};

std::shared_ptr<const Profile> make_profile(std::shared_ptr<const Recording> recording);

}  // namespace hypatia::gui
