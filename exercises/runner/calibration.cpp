// Sums device events by step and call, takes medians, and pairs them.
#include "exercises/runner/calibration.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <tuple>

#include "profiler/analyze/account.h"

namespace hypatia::runner {

namespace {

bool on_device(EventKind kind) {
  return kind == EventKind::kernel || kind == EventKind::copy_in || kind == EventKind::copy_out ||
         kind == EventKind::copy_on || kind == EventKind::fill;
}

/// What pairs the work of two recordings: equal steps of a function are told by their order.
struct Key {
  std::string function, step, shapes;
  int which = 0;
  EventKind kind = EventKind::kernel;
  auto operator<=>(const Key&) const = default;
};

struct Spent {
  double median = 0;
  std::int64_t calls = 0;
};

std::map<Key, Spent> work_of(const Recording& recording) {
  std::map<std::pair<std::uint32_t, EventKind>, std::map<std::uint32_t, double>> sums;
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.events()) {
      if (!event.step || !on_device(event.kind)) continue;
      sums[{event.step, event.kind}][event.call] += static_cast<double>(event.end - event.begin);
    }
  }
  std::map<Key, Spent> works;
  std::map<std::tuple<std::string, std::string, std::string>, int> seen;
  for (const RecordedStep& step : recording.steps()) {
    const FunctionRecord* function = recording.function(step.function);
    if (!function) continue;
    Key key{function->name, step.record->name, step.record->shapes};
    key.which = seen[{key.function, key.step, key.shapes}]++;
    for (int kind = 0; kind < event_kind_count; ++kind) {
      key.kind = static_cast<EventKind>(kind);
      const auto found = sums.find({step.id, key.kind});
      if (found == sums.end()) continue;
      std::vector<double> times;
      for (const auto& [call, nanoseconds] : found->second)
        times.push_back(nanoseconds * 1e-9);
      const auto calls = static_cast<std::int64_t>(times.size());
      works[key] = {quantile(std::move(times), 0.5), calls};
    }
  }
  return works;
}

std::string words_of(const std::string& exercise, const Key& key) {
  return fmt::format(
      "{}: {} {} {} {}", exercise, key.function, key.step, key.shapes, name(key.kind));
}

}  // namespace

double CalibratedWork::error() const {
  return measured > 0 ? std::abs(modelled - measured) / measured : 0;
}

std::vector<CalibratedWork> calibrate(
    const std::string& exercise,
    const Recording& modelled,
    const Recording& measured,
    std::vector<std::string>& alone) {
  const std::map<Key, Spent> model = work_of(modelled), real = work_of(measured);
  std::vector<CalibratedWork> works;
  for (const auto& [key, spent] : real) {
    const auto found = model.find(key);
    if (found == model.end()) {
      alone.push_back(words_of(exercise, key) + ": measured only");
      continue;
    }
    works.push_back({
        exercise,
        key.function,
        key.step,
        key.shapes,
        name(key.kind),
        spent.calls,
        found->second.median,
        spent.median,
    });
  }
  for (const auto& [key, spent] : model) {
    if (!real.contains(key)) alone.push_back(words_of(exercise, key) + ": modelled only");
  }
  return works;
}

double median_error(std::span<const CalibratedWork> works) {
  std::vector<double> errors;
  for (const CalibratedWork& work : works)
    errors.push_back(work.error());
  return quantile(std::move(errors), 0.5);
}

std::vector<std::string> wrong_rankings(std::span<const CalibratedWork> works) {
  constexpr double equal = 1.1;
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> functions;
  for (const CalibratedWork& work : works) {
    auto& [modelled, measured] = functions[{work.exercise, work.function}];
    modelled += work.modelled;
    measured += work.measured;
  }
  std::vector<std::string> wrong;
  for (const auto& [slow, slow_times] : functions) {
    for (const auto& [fast, fast_times] : functions) {
      const bool one_exercise = slow.first == fast.first;
      const bool slower = slow_times.second > equal * fast_times.second;
      const bool modelled_faster = slow_times.first * equal < fast_times.first;
      if (!one_exercise || !slower || !modelled_faster) continue;
      wrong.push_back(fmt::format(
          "{}: {} takes {:.1f} us and {} {:.1f} us; the model says {:.1f} and {:.1f}",
          slow.first,
          slow.second,
          slow_times.second * 1e6,
          fast.second,
          fast_times.second * 1e6,
          slow_times.first * 1e6,
          fast_times.first * 1e6));
    }
  }
  return wrong;
}

}  // namespace hypatia::runner
