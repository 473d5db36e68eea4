#include "gui/model/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/app/format.h"

namespace hypatia::gui {

namespace {

/// The function of both that took most of the time, by its calls in the later recording; null if
/// none was called in both.
const FunctionChange* main_function(const Comparison& comparison, const Profile& after) {
  const FunctionChange* most = nullptr;
  double most_time = 0;
  for (const FunctionChange& f : comparison.functions) {
    if (f.calls == 0 || f.median_before <= 0 || f.median_after <= 0) continue;
    const auto calls = static_cast<double>(after.functions[f.after - 1].account->calls);
    if (f.median_after * calls <= most_time) continue;
    most = &f;
    most_time = f.median_after * calls;
  }
  return most;
}

std::string verdict_of(
    const Profile& before, const Profile& after, const FunctionChange* function) {
  if (!function) return "No function was called in both.";
  const double ratio = function->median_before / function->median_after;
  const bool same = function->enough_calls() && !function->differs();
  const std::string change = same         ? "as fast as"
                             : ratio >= 1 ? ratio_text(ratio) + " as fast as"
                                          : ratio_text(1 / ratio) + " as slow as";
  return fmt::format(
      "{} in {} is {} in {}: {} against {} a call{}.",
      function->name,
      after.title,
      change,
      before.title,
      time_text(function->median_after),
      time_text(function->median_before),
      !function->enough_calls() ? ", of too few calls to tell"
      : same                    ? ", within the spread of the calls"
                                : "");
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
      all.nodes.push_back({node, {left, right}});
    }
  }
  std::stable_sort(all.nodes.begin(), all.nodes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  all.verdict = verdict_of(before, after, main_function(comparison, after));
  return all;
}

}  // namespace hypatia::gui
