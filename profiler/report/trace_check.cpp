// The rules that a trace must keep for Perfetto to show it as it was meant.

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "profiler/report/chrome_trace.h"

namespace hypatia {

namespace {

using nlohmann::json;

struct Slice {
  double begin, end;
};

struct Arrow {
  int starts = 0, ends = 0;
  double start = 0, end = 0;
};

using ThreadKey = std::pair<double, double>;

bool number(const json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() && std::isfinite(found->get<double>());
}

bool text(const json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string();
}

class Check {
 public:
  std::string run(const json& trace) {
    if (!trace.is_object() || !trace.contains("traceEvents")) return "there is no traceEvents";
    const json& events = trace["traceEvents"];
    if (!events.is_array()) return "traceEvents is not a list";
    for (const json& event : events) {
      const std::string problem = add(event);
      if (!problem.empty()) return problem + ": " + event.dump().substr(0, 200);
    }
    for (const auto& [thread, slices] : slices_) {
      const std::string problem = check_nesting(slices);
      if (!problem.empty()) return problem;
    }
    for (const auto& [id, arrow] : arrows_) {
      if (arrow.starts != 1 || arrow.ends != 1) return "an arrow has not one start and one end";
      if (arrow.end < arrow.start) return "an arrow points back in time";
    }
    return "";
  }

 private:
  std::string add(const json& event) {
    if (!event.is_object() || !text(event, "ph") || !text(event, "name")) {
      return "an event has no phase or no name";
    }
    if (!number(event, "pid") || !number(event, "tid")) return "an event has no process or thread";
    const std::string phase = event["ph"];
    if (phase == "M") return "";
    if (!number(event, "ts") || event["ts"].get<double>() < 0) return "an event has no time";
    const double time = event["ts"];
    if (phase == "X") {
      if (!number(event, "dur") || event["dur"].get<double>() < 0) return "a slice has no length";
      const ThreadKey thread{event["pid"], event["tid"]};
      std::vector<Slice>& slices = slices_[thread];
      if (!slices.empty() && time < slices.back().begin) return "times of a thread fall";
      slices.push_back({time, time + event["dur"].get<double>()});
      return "";
    }
    if (phase == "C") return counts(event) ? "" : "a counter has no numbers";
    if (phase != "s" && phase != "f") return "an event has an unknown phase";
    if (!number(event, "id")) return "an arrow has no id";
    Arrow& arrow = arrows_[event["id"]];
    (phase == "s" ? arrow.starts : arrow.ends) += 1;
    (phase == "s" ? arrow.start : arrow.end) = time;
    return "";
  }

  static bool counts(const json& event) {
    const auto values = event.find("args");
    if (values == event.end() || !values->is_object() || values->empty()) return false;
    return std::all_of(
        values->begin(), values->end(), [](const json& value) { return value.is_number(); });
  }

  /// Of slices by begin, each ends inside of those that are open when it begins.
  static std::string check_nesting(const std::vector<Slice>& slices) {
    constexpr double tolerance = 0.0005;  // half a nanosecond, in microseconds
    std::vector<double> open;
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.begin + tolerance)
        open.pop_back();
      if (!open.empty() && slice.end > open.back() + tolerance) return "slices of a thread overlap";
      open.push_back(slice.end);
    }
    return "";
  }

  std::map<ThreadKey, std::vector<Slice>> slices_;
  std::map<double, Arrow> arrows_;
};

}  // namespace

std::string trace_problem(std::string_view text) {
  const json trace = json::parse(text, nullptr, false);
  if (trace.is_discarded()) return "it is not JSON";
  return Check().run(trace);
}

}  // namespace hypatia
