// Times are taken per call of the function, since two recordings rarely hold equally many.

#include "profiler/analyze/compare.h"

#include <algorithm>
#include <cmath>

#include "profiler/analyze/match.h"

namespace hypatia {

namespace {

/// What may be chance: the spread from call to call, or a fiftieth. Calls that others disturb
/// spread widely, but chance never halves their times.
bool is_chance(double before, double after, double spread) {
  const double longer = std::max(before, after);
  return std::abs(after - before) <= std::max(std::min(spread, longer / 2), 0.02 * longer);
}

struct Half {
  const Recording& recording;
  const Account& account;
  std::uint32_t function;  // 0: not in this recording, which then has no positions either

  const FunctionRecord& record() const { return recording.functions()[function - 1]; }

  const FunctionAccount& spent() const { return account.functions[function - 1]; }

  const NodeAccount& node(std::int32_t position) const {
    return spent().nodes[static_cast<std::size_t>(position)];
  }

  double per_call(std::int32_t position) const {
    const auto calls = static_cast<double>(std::max<std::int64_t>(1, spent().calls));
    return node(position).parts.total() / calls;
  }

  double spread(std::int32_t position) const {
    return std::max(0.0, node(position).p90 - node(position).median);
  }
};

Change change_of(
    const Half& before, std::int32_t b, const Half& after, std::int32_t a, const NodeChange& node) {
  const NodeRecord& old = before.record().nodes[static_cast<std::size_t>(b)];
  const NodeRecord& now = after.record().nodes[static_cast<std::size_t>(a)];
  if (old.side != now.side) return Change::moved;
  if (!before.node(b).approximate && after.node(a).approximate) return Change::fused;
  if (before.node(b).approximate && !after.node(a).approximate) return Change::split;
  if (is_chance(node.time_before, node.time_after, node.spread)) return Change::same;
  return node.difference() < 0 ? Change::faster : Change::slower;
}

NodeChange compare_node(const Half& before, std::int32_t b, const Half& after, std::int32_t a) {
  NodeChange node;
  if (b >= 0) {
    node.before = before.node(b).id;
    node.name = before.record().nodes[static_cast<std::size_t>(b)].name;
    node.time_before = before.per_call(b);
    node.spread = before.spread(b);
    node.change = Change::removed;
  }
  if (a >= 0) {
    node.after = after.node(a).id;
    if (b < 0) node.name = after.record().nodes[static_cast<std::size_t>(a)].name;
    node.time_after = after.per_call(a);
    node.spread = std::max(node.spread, after.spread(a));
    node.change = Change::added;
  }
  if (a >= 0 && b >= 0) node.change = change_of(before, b, after, a, node);
  return node;
}

/// A node is neither faster nor slower where the calls can't tell.
void settle(const FunctionChange& function, NodeChange* node) {
  if (node->change != Change::faster && node->change != Change::slower) return;
  const bool within = !function.differs() && std::abs(node->difference()) <= function.spread;
  if (within || !function.enough_calls()) node->change = Change::same;
}

FunctionChange compare_function(
    const Half& before, const Half& after, const std::vector<PositionPair>& nodes) {
  FunctionChange change;
  change.before = before.function;
  change.after = after.function;
  change.name = (before.function ? before : after).record().name;
  if (before.function) change.median_before = before.spent().median;
  if (after.function) change.median_after = after.spent().median;
  if (before.function && after.function) {
    change.spread = std::max(
        before.spent().p90 - before.spent().median, after.spent().p90 - after.spent().median);
    change.calls = std::min(before.spent().calls, after.spent().calls);
  }
  for (const PositionPair& pair : nodes) {
    change.nodes.push_back(compare_node(before, pair.before, after, pair.after));
    settle(change, &change.nodes.back());
  }
  std::stable_sort(
      change.nodes.begin(), change.nodes.end(), [](const NodeChange& x, const NodeChange& y) {
        return std::abs(x.difference()) > std::abs(y.difference());
      });
  return change;
}

}  // namespace

const char* name(Change change) {
  static constexpr const char* names[] = {
      "same", "faster", "slower", "moved", "fused", "split", "added", "removed"};
  return names[static_cast<std::size_t>(change)];
}

bool FunctionChange::differs() const {
  return !is_chance(median_before, median_after, spread);
}

Comparison compare(
    const Recording& before,
    const Account& spent_before,
    const Recording& after,
    const Account& spent_after) {
  Comparison comparison;
  for (const FunctionPair& pair : match_functions(before, after)) {
    comparison.functions.push_back(compare_function(
        {before, spent_before, pair.before}, {after, spent_after, pair.after}, pair.nodes));
  }
  return comparison;
}

Comparison compare(const Recording& before, const Recording& after) {
  return compare(before, account_for(before), after, account_for(after));
}

}  // namespace hypatia
