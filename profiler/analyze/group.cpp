#include "profiler/analyze/group.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace hypatia {

namespace {

constexpr const char* no_node = "(replays, and work of no node)";

std::string key_of(const FunctionRecord& function, const NodeRecord& node, NodeId id, GroupBy by) {
  switch (by) {
    case GroupBy::op_class:
      return node.op_class;
    case GroupBy::op:
      return node.name;
    case GroupBy::line:
      if (!node.origin) return "(unknown line)";
      return std::string(node.origin.file) + ":" + std::to_string(node.origin.line);
    case GroupBy::apply:
      break;
  }
  // Names repeat; a node is told by its place.
  return function.name + "\n" + std::to_string(id.function) + "\n" + std::to_string(id.node);
}

template <typename Visit>
void for_each_function(const Account& account, std::uint32_t wanted, Visit visit) {
  for (const FunctionAccount& function : account.functions) {
    if (wanted == 0 || wanted == function.id) visit(function);
  }
}

void add_node(GroupRow& row, const NodeRecord& record, const NodeAccount& node) {
  if (row.nodes.empty()) row.side = record.side;
  row.parts.add(node.parts);
  row.wall.add(node.wall);
  row.calls += node.calls;
  row.applies += 1;
  row.approximate |= node.approximate;
  row.nodes.push_back(node.id);
}

void sort_and_share(std::vector<GroupRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const GroupRow& a, const GroupRow& b) {
    return std::make_tuple(a.parts.total(), a.calls, a.applies) >
           std::make_tuple(b.parts.total(), b.calls, b.applies);
  });
  double all = 0, above = 0;
  for (const GroupRow& row : rows)
    all += row.parts.total();
  for (GroupRow& row : rows) {
    above += row.parts.total();
    row.percent = all > 0 ? 100 * row.parts.total() / all : 0;
    row.cumulative = all > 0 ? 100 * above / all : 0;
  }
}

}  // namespace

std::vector<GroupRow> group_nodes(
    const Recording& recording, const Account& account, GroupBy by, std::uint32_t wanted) {
  std::map<std::string, std::size_t> places;
  std::vector<GroupRow> rows;
  GroupRow loose;
  loose.name = no_node;
  for_each_function(account, wanted, [&](const FunctionAccount& function) {
    const FunctionRecord& record = recording.functions()[function.id - 1];
    for (const NodeAccount& node : function.nodes) {
      if (node.calls == 0) continue;
      const NodeRecord& what = record.nodes[node.id.node];
      const std::string key = key_of(record, what, node.id, by);
      const auto [place, fresh] = places.emplace(key, rows.size());
      if (fresh) rows.emplace_back().name = by == GroupBy::apply ? what.name : key;
      add_node(rows[place->second], what, node);
    }
    loose.parts.add(function.other);
    loose.calls += function.calls;
  });
  if (wanted == 0) loose.parts.add(account.outside);
  if (loose.parts.total() > 0) rows.push_back(std::move(loose));
  sort_and_share(rows);
  return rows;
}

SideTimes time_by_node_kind(
    const Recording& recording, const Account& account, std::uint32_t wanted) {
  SideTimes times;
  Parts loose;
  for_each_function(account, wanted, [&](const FunctionAccount& function) {
    for (const NodeAccount& node : function.nodes) {
      const Side side = recording.functions()[function.id - 1].nodes[node.id.node].side;
      double& time = side == Side::cpu ? times.cpu : side == Side::gpu ? times.gpu : times.transfer;
      time += node.parts.total();
    }
    loose.add(function.other);
  });
  if (wanted == 0) loose.add(account.outside);
  times.cpu += loose.cpu();
  times.gpu += loose.gpu();
  times.transfer += loose.transfer();
  return times;
}

SideTimes time_by_resource(const Account& account, std::uint32_t wanted) {
  Parts all;
  for_each_function(
      account, wanted, [&](const FunctionAccount& function) { all.add(function.parts); });
  if (wanted == 0) all.add(account.outside);
  return {all.cpu(), all.gpu(), all.transfer()};
}

}  // namespace hypatia
