#pragma once
// Tables of time: apply nodes summed by class, op, node, source line or file of origin.

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/analyze/account.h"

namespace hypatia {

enum class GroupBy : std::uint8_t { op_class, op, apply, line };

struct GroupRow {
  std::string name;
  Parts parts;
  WallTimes wall;
  std::int64_t calls = 0;     // of all its nodes
  std::int64_t applies = 0;   // nodes that ran
  double percent = 0;         // of all rows' work
  double cumulative = 0;      // with the rows above
  bool approximate = false;   // contains shares of merged kernels
  std::vector<NodeId> nodes;  // empty for work of no node
  Side side = Side::cpu;      // of its first node
};

/// Rows of one function (or of all, for 0) by falling time; the percentages sum to 100.
std::vector<GroupRow> group_nodes(
    const Recording& recording, const Account& account, GroupBy by, std::uint32_t function = 0);

/// Time of nodes by what they are: Theano's "in cpu Op, in gpu Op and transfert Op".
struct SideTimes {
  double cpu = 0, gpu = 0, transfer = 0;

  double total() const { return cpu + gpu + transfer; }
};

/// By the kind of node; work of no node counts where it ran.
SideTimes time_by_node_kind(
    const Recording& recording, const Account& account, std::uint32_t function = 0);
/// By where the work ran: a GPU node's launch is the cpu's.
SideTimes time_by_resource(const Account& account, std::uint32_t function = 0);

}  // namespace hypatia
