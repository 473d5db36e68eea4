#include "profiler/report/comparison.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

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
  const auto same = static_cast<std::size_t>(
      std::count_if(function.nodes.begin(), function.nodes.end(), [](const NodeChange& node) {
        return node.change == Change::same;
      }));
  if (same == function.nodes.size()) {
    fmt::format_to(out, "  no node differs\n\n");
    return;
  }
  fmt::format_to(out, "   <before>  <after> <change>  <what>   <Apply name>\n");
  for (const NodeChange& node : function.nodes) {
    if (node.change == Change::same) continue;
    fmt::format_to(
        out,
        "  {:>9} {:>8} {:>8}  {:<8} {}\n",
        node.before ? duration(node.time_before) : "-",
        node.after ? duration(node.time_after) : "-",
        (node.difference() >= 0 ? "+" : "") + duration(node.difference()),
        name(node.change),
        shorten(node.name, 60));
  }
  fmt::format_to(
      out,
      "  {}\n\n",
      same == 1 ? "1 node is the same" : fmt::format("{} nodes are the same", same));
}

}  // namespace

std::string comparison_report(const Recording& before, const Recording& after) {
  std::string text;
  text += "Before: " + shorten(described(before), 92) + "\n";
  text += "After:  " + shorten(described(after), 92) + "\n\n";
  for (const FunctionChange& function : compare(before, after).functions) {
    write_function(text, function);
  }
  return text;
}

}  // namespace hypatia
