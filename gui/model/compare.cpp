#include "gui/model/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/app/format.h"

namespace hypatia::gui {

namespace {

std::string verdict_of(
    const Profile& before,
    const Profile& after,
    const ComparedProfiles& sums,
    const std::vector<FunctionChange>& functions) {
  if (sums.before <= 0 || sums.after <= 0) return "One of the two holds no times.";
  const bool enough = std::any_of(
      functions.begin(), functions.end(), [](const auto& f) { return f.enough_calls(); });
  const bool different = std::any_of(functions.begin(), functions.end(), [](const auto& f) {
    return f.enough_calls() && f.differs();
  });
  const double ratio = sums.before / sums.after;
  const std::string change = enough && !different ? "as fast as"
                             : ratio >= 1.02      ? ratio_text(ratio) + " as fast as"
                             : ratio <= 0.98      ? ratio_text(1 / ratio) + " as slow as"
                                                  : "as fast as";
  return fmt::format(
      "{} is {} {}: {} against {} a call{}.",
      after.title,
      change,
      before.title,
      time_text(sums.after),
      time_text(sums.before),
      different ? ""
      : enough  ? ", within the spread of the calls"
                : ", of too few calls to tell");
}

}  // namespace

ComparedProfiles compare(const Profile& before, const Profile& after) {
  const Comparison comparison =
      hypatia::compare(*before.recording, before.account, *after.recording, after.account);
  ComparedProfiles all;
  for (const FunctionChange& function : comparison.functions) {
    for (const NodeChange& node : function.nodes) {
      const int left = node.before ? before.find(*node.before) : -1;
      const int right = node.after ? after.find(*node.after) : -1;
      all.before += node.time_before;
      all.after += node.time_after;
      all.nodes.push_back({node, {left, right}});
    }
  }
  std::stable_sort(all.nodes.begin(), all.nodes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  all.verdict = verdict_of(before, after, all, comparison.functions);
  return all;
}

}  // namespace hypatia::gui
