// Times are taken per call of the function, since two recordings rarely hold equally many.

#include "gui/model/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "gui/app/format.h"

namespace hypatia::gui {

namespace {

double per_call(const Profile& profile, int node) {
  if (node < 0) return 0;
  const NodeStats& stats = profile.node(node);
  const std::int64_t calls = profile.functions[stats.id.function - 1].account->calls;
  return stats.costs().total() / std::max(1.0, static_cast<double>(calls));
}

// How far runs of a node lie apart: from the median to where nine of ten end.
double spread(const Profile& profile, int node) {
  return node < 0 ? 0 : profile.node(node).account->p90 - profile.node(node).account->median;
}

Change change_of(const Profile& before, const Profile& after, const ComparedNode& node) {
  if (node.pair.left < 0) return Change::added;
  if (node.pair.right < 0) return Change::removed;
  const Side from = before.node(node.pair.left).record->side;
  const Side to = after.node(node.pair.right).record->side;
  if (from != to) return Change::moved;
  if (node.noise || node.difference() == 0) return Change::same;
  return node.difference() < 0 ? Change::faster : Change::slower;
}

std::string verdict_of(const Profile& before, const Profile& after, const Comparison& comparison) {
  if (comparison.before <= 0 || comparison.after <= 0) return "One of the two holds no times.";
  const double ratio = comparison.before / comparison.after;
  const std::string change = ratio >= 1.02   ? ratio_text(ratio) + " as fast as"
                             : ratio <= 0.98 ? ratio_text(1 / ratio) + " as slow as"
                                             : "as fast as";
  return fmt::format(
      "{} is {} {}: {} against {} a call.",
      after.title,
      change,
      before.title,
      time_text(comparison.after),
      time_text(comparison.before));
}

}  // namespace

const char* name(Change change) {
  constexpr std::array<const char*, 6> names = {
      "same", "faster", "slower", "moved", "added", "removed"};
  return names[static_cast<std::size_t>(change)];
}

Comparison compare(const Profile& before, const Profile& after) {
  Comparison comparison;
  for (const NodePair& pair : match_nodes(before, after)) {
    ComparedNode node;
    node.pair = pair;
    node.before = per_call(before, pair.left);
    node.after = per_call(after, pair.right);
    const double between = std::max(spread(before, pair.left), spread(after, pair.right));
    node.noise = pair.left >= 0 && pair.right >= 0 && std::abs(node.difference()) <= between;
    node.change = change_of(before, after, node);
    comparison.before += node.before;
    comparison.after += node.after;
    comparison.nodes.push_back(node);
  }
  std::stable_sort(
      comparison.nodes.begin(), comparison.nodes.end(), [](const auto& a, const auto& b) {
        return std::abs(a.difference()) > std::abs(b.difference());
      });
  comparison.verdict = verdict_of(before, after, comparison);
  return comparison;
}

}  // namespace hypatia::gui
