#include "profiler/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiler/analyze/compare.h"
#include "profiler/report/format.h"

namespace hypatia {

namespace {

std::string ratio(double before, double after) {
  if (before <= 0 || after <= 0) return "";
  return before > after ? fmt::format("{:.2f} times as fast", before / after)
                        : fmt::format("{:.2f} times as slow", after / before);
}

std::string described(const Recording& recording) {
  const RecordingHeader& header = recording.header();
  std::string text = header.program;
  if (!header.role.empty()) text += " (" + header.role + ")";
  std::string devices;
  for (const DeviceInfo& device : header.devices)
    devices += (devices.empty() ? "" : ", ") + device.name;
  if (!devices.empty()) text += " on " + devices;
  if (!recording.path().empty()) {
    const std::size_t folder = recording.path().rfind('/');
    text = recording.path().substr(folder == std::string::npos ? 0 : folder + 1) + ": " + text;
  }
  if (!header.flags.empty()) text += " with " + header.flags;
  return text;
}

void write_function(std::string& text, const FunctionChange& function) {
  const auto out = std::back_inserter(text);
  if (!function.before || !function.after) {
    fmt::format_to(
        out,
        "{}: only in the recording {}\n\n",
        function.name,
        function.before ? "before" : "after");
    return;
  }
  if (function.median_before <= 0 && function.median_after <= 0) {
    fmt::format_to(out, "{}: called in neither\n\n", function.name);
    return;
  }
  const std::string verdict = !function.enough_calls() ? "too few calls to tell"
                              : function.differs()
                                  ? ratio(function.median_before, function.median_after)
                                  : "the same within the spread from call to call";
  fmt::format_to(
      out,
      "{}: {} a call before, {} after: {}\n",
      function.name,
      duration(function.median_before),
      duration(function.median_after),
      verdict);
  const double least = 0.001 * std::max(function.median_before, function.median_after);
  std::size_t same = 0, small = 0;
  bool has_head = false;
  for (const NodeChange& node : function.nodes) {
    const bool is_same = node.change == Change::same;
    if (is_same || std::abs(node.difference()) < least) {
      ++(is_same ? same : small);
      continue;
    }
    if (!std::exchange(has_head, true)) {
      fmt::format_to(out, "   <before>  <after> <change>  <what>   <Apply name>\n");
    }
    fmt::format_to(
        out,
        "  {:>9} {:>8} {:>8}  {:<8} {}\n",
        node.before ? duration(node.time_before) : "-",
        node.after ? duration(node.time_after) : "-",
        (node.difference() >= 0 ? "+" : "") + duration(node.difference()),
        name(node.change),
        shorten(node.name, 60));
  }
  fmt::format_to(out, "  {} the same", same == 1 ? "1 node is" : fmt::format("{} nodes are", same));
  if (small) fmt::format_to(out, ", {} changed by less than a thousandth of the call", small);
  text += ".\n\n";
}

}  // namespace

std::string comparison_report(const Recording& before, const Recording& after) {
  const bool modelled = before.header().simulated;
  std::string text;
  text += (modelled ? "Before, simulated: " : "Before: ") + shorten(described(before), 92) + "\n";
  text += after.header().simulated ? "After, simulated:  " : "After:  ";
  text += shorten(described(after), 92) + "\n";
  if (modelled != after.header().simulated)
    text += "Modelled times are compared with measured ones.\n";
  text += "\n";
  for (const FunctionChange& function : compare(before, after).functions) {
    write_function(text, function);
  }
  return text;
}

std::string comparison_json(const Recording& before, const Recording& after) {
  using nlohmann::ordered_json;
  const auto side = [](const Recording& recording) {
    return ordered_json{
        {"recording", recording.path()},
        {"program", recording.header().program},
        {"simulated", recording.header().simulated}};
  };
  const auto where = [](bool there, double time) {
    return there ? ordered_json(time) : ordered_json();
  };
  ordered_json functions = ordered_json::array();
  for (const FunctionChange& function : compare(before, after).functions) {
    ordered_json nodes = ordered_json::array();
    for (const NodeChange& node : function.nodes) {
      nodes.push_back(
          {{"node", node.name},
           {"change", name(node.change)},
           {"before", where(node.before.has_value(), node.time_before)},
           {"after", where(node.after.has_value(), node.time_after)},
           {"spread", node.spread}});
    }
    functions.push_back(
        {{"function", function.name},
         {"median_before", where(function.before != 0, function.median_before)},
         {"median_after", where(function.after != 0, function.median_after)},
         {"spread", function.spread},
         {"calls", function.calls},
         {"enough_calls", function.enough_calls()},
         {"differs", function.differs()},
         {"nodes", nodes}});
  }
  const ordered_json document{
      {"schema", 1}, {"before", side(before)}, {"after", side(after)}, {"functions", functions}};
  // Texts come from files that may hold any bytes; JSON must be UTF-8.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hypatia
