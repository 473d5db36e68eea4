#pragma once
// The rules behind advise(), a file a theme; a rule adds what it has to say. Private to analyze.

#include <span>

#include "profiler/analyze/advice.h"

namespace hypatia {

/// What rules look at.
struct AdviceCase {
  const Recording& recording;
  const Account& account;
  std::vector<Advice>& list;

  /// Calls visit(function, its record, node account, node record) for every node that ran.
  template <typename Visit>
  void for_each_node(Visit visit) const {
    for (const FunctionAccount& function : account.functions) {
      const FunctionRecord& record = recording.functions()[function.id - 1];
      for (const NodeAccount& node : function.nodes) {
        if (node.calls) visit(function, record, node, record.nodes[node.id.node]);
      }
    }
  }

  /// Nanoseconds of the wall clock in which functions ran, without compiling.
  double length() const {
    return account.wall.total() - account.wall[Wall::outside] - account.wall[Wall::compile];
  }

  const DeviceInfo* device(const std::string& name) const;
};

using AdviceRule = void (*)(const AdviceCase&);

std::span<const AdviceRule> transfer_rules();
std::span<const AdviceRule> kernel_rules();
std::span<const AdviceRule> host_rules();

/// "3.30us", "18.2%": as reports write them.
std::string advice_time(double nanoseconds);
std::string advice_percent(double part, double whole);

}  // namespace hypatia
