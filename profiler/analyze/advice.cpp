// Runs the rules and sorts what they say.

#include "profiler/analyze/advice.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "profiler/analyze/advice_rules.h"
#include "profiler/analyze/node_kind.h"

namespace hypatia {

const DeviceInfo* AdviceCase::device(const std::string& name) const {
  for (const DeviceInfo& info : recording.header().devices) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string advice_time(double nanoseconds) {
  constexpr const char* units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; unit < 3 && nanoseconds >= 1000; ++unit)
    nanoseconds /= 1000;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%.3g%s", nanoseconds, units[unit]);
  return {text, static_cast<std::size_t>(length)};
}

std::string advice_percent(double part, double whole) {
  char text[32];
  const int length =
      std::snprintf(text, sizeof text, "%.0f%%", whole > 0 ? 100 * part / whole : 0.0);
  return {text, static_cast<std::size_t>(length)};
}

namespace {

/// Said only when nothing is to be gained elsewhere: the node that takes most is near its ceiling.
void nothing_to_do(const AdviceCase& in) {
  constexpr double near = 0.7;
  const NodeAccount* heaviest = nullptr;
  double all = 0;
  in.for_each_node([&](const auto&, const auto&, const NodeAccount& node, const auto&) {
    all += node.parts.total();
    if (!heaviest || node.parts.total() > heaviest->parts.total()) heaviest = &node;
  });
  if (!heaviest || heaviest->rate.roof < near || heaviest->parts.total() < 0.5 * all) return;
  Advice advice;
  advice.rule = "at-the-roof";
  advice.title = "Nothing to do: the program is near what the machine can do";
  advice.evidence = in.recording.node(heaviest->id)->name + " takes " +
                    advice_percent(heaviest->parts.total(), all) + " of the work and runs at " +
                    advice_percent(heaviest->rate.roof, 1) + " of the " +
                    (heaviest->rate.memory_bound ? "bandwidth" : "arithmetic") +
                    " that its device has.";
  advice.confidence = 0.8;
  advice.nodes = {heaviest->id};
  advice.positive = true;
  in.list.push_back(std::move(advice));
}

/// The account without the functions of the engine's own checks, which nobody can make faster.
Account of_the_user(const Recording& recording, const Account& account) {
  Account rest = account;
  for (FunctionAccount& function : rest.functions) {
    if (!is_the_engines(recording.functions()[function.id - 1])) continue;
    for (std::size_t i = 0; i < wall_count; ++i)
      rest.wall.nanoseconds[i] -= function.wall.nanoseconds[i];
    FunctionAccount none;
    none.id = function.id;
    function = none;
  }
  for (const RecordedStep& step : recording.steps()) {
    const FunctionRecord* function = recording.function(step.function);
    if (function && is_the_engines(*function)) rest.steps[step.id - 1] = {};
  }
  return rest;
}

/// One tip a rule: the example that gains most, and how many more there are.
void gather(std::vector<Advice>& list) {
  std::vector<Advice> tips;
  std::map<std::string, std::size_t> place, more;
  for (Advice& advice : list) {  // the greatest gain first
    const auto [at, fresh] = place.emplace(advice.rule, tips.size());
    if (fresh) {
      tips.push_back(std::move(advice));
      continue;
    }
    Advice& tip = tips[at->second];
    tip.gain += advice.gain;
    tip.nodes.insert(tip.nodes.end(), advice.nodes.begin(), advice.nodes.end());
    ++more[advice.rule];
  }
  for (Advice& tip : tips) {
    const std::size_t others = more[tip.rule];
    if (others == 0) continue;
    tip.evidence += " The same holds of " + std::to_string(others) +
                    (others == 1 ? " other case." : " other cases.");
  }
  list = std::move(tips);
}

void by_gain(std::vector<Advice>& list) {
  std::stable_sort(
      list.begin(), list.end(), [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
}

}  // namespace

std::vector<Advice> advise(const Recording& recording, const Account& account) {
  std::vector<Advice> list;
  const Account user = of_the_user(recording, account);
  const AdviceCase in{recording, user, list};
  for (const auto rules : {transfer_rules(), kernel_rules(), host_rules()}) {
    for (const AdviceRule rule : rules)
      rule(in);
  }
  by_gain(list);
  gather(list);
  // What gains under a hundredth of the run is not worth a line.
  std::erase_if(list, [&](const Advice& advice) {
    return advice.gain > 0 && advice.gain < 0.01 * in.length();
  });
  by_gain(list);
  if (list.empty()) nothing_to_do(in);
  return list;
}

}  // namespace hypatia
