// The report's last sections: float64 that nobody asked for, what the recording does not know, and
// what to do.

#include <algorithm>
#include <map>

#include "profiler/analyze/advice.h"
#include "profiler/report/format.h"
#include "profiler/report/text_writer.h"

namespace hypatia {

namespace {

bool is_double(const std::string& type) {
  return type.find("float64") != std::string::npos;
}

bool makes_double(const NodeRecord& node) {
  const auto& types = node.output_types;
  return std::any_of(types.begin(), types.end(), is_double) &&
         std::none_of(node.inputs.begin(), node.inputs.end(), [](const InputRecord& input) {
           return is_double(input.type);
         });
}

/// Asked only of programs that use a GPU: on the cpu, float64 is a choice like another.
bool uses_gpu(const Recording& recording) {
  return std::any_of(
      recording.functions().begin(),
      recording.functions().end(),
      [](const FunctionRecord& function) { return function.device != "cpu"; });
}

void count(TextWriter& out, std::int64_t value, const char* what) {
  if (value) out.line("    {} {}", value, what);
}

}  // namespace

void write_reasons(TextWriter& out) {
  if (!uses_gpu(out.recording)) return;
  std::vector<std::string> here, moves;
  for (const FunctionRecord& function : out.recording.functions()) {
    if (function.device == "cpu") continue;
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
      const NodeRecord& node = function.nodes[i];
      if (node.reason.empty()) continue;
      const std::string line =
          fmt::format("{} {} {}: {}", node.name, i, function.name, node.reason);
      (node.side == Side::transfer ? moves : here).push_back(line);
    }
  }
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out.line("{}", title);
    out.line("---");
    for (std::size_t i = 0; i < std::min(lines.size(), out.options.rows); ++i)
      out.line("    {}", shorten(lines[i], out.options.columns - 4));
    if (lines.size() > out.options.rows)
      out.line("    ... (remaining {} nodes)", lines.size() - out.options.rows);
    out.line("");
  };
  list("Nodes that stay on the CPU, and why", here);
  list("Transfers, and why", moves);
}

void write_float64(TextWriter& out) {
  if (!uses_gpu(out.recording)) return;
  std::vector<std::string> inputs, nodes;
  for (const FunctionRecord& function : out.recording.functions()) {
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
      const NodeRecord& node = function.nodes[i];
      for (const InputRecord& input : node.inputs) {
        if (input.node < 0 && is_double(input.type)) {
          inputs.push_back(fmt::format("{} {} {}", function.name, input.name, input.type));
        }
      }
      if (makes_double(node)) {
        nodes.push_back(fmt::format("{} {} {}", node.name, i, function.name));
      }
    }
  }
  if (inputs.empty() && nodes.empty()) return;
  const auto list = [&](const char* title, std::vector<std::string>& names) {
    out.line("    {}", title);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::size_t i = 0; i < std::min(names.size(), out.options.rows); ++i) {
      out.line("    {}", shorten(names[i], out.options.columns - 4));
    }
    if (names.empty()) out.line("    (none)");
    out.line("");
  };
  list("Function input that are float64", inputs);
  list(
      "List of apply that don't have float64 as input but have float64 in outputs\n"
      "    (Useful to know if we forgot some cast when using floatX=float32 or gpu code)",
      nodes);
}

/// What the device did for no step, by what and whose it was: creating shared variables, reading
/// their values.
void write_outside(TextWriter& out) {
  struct Sum {
    std::int64_t count = 0, bytes = 0;
    double time = 0;
  };

  std::map<std::string, Sum> sums;
  for (const Track& track : out.recording.tracks()) {
    for (const Event& event : track.events()) {
      const Wall wall = wall_of(event.kind);
      if (event.step || (wall != Wall::kernel && wall != Wall::transfer)) continue;
      Sum& sum = sums[out.recording.name_of(event)];
      const DetailRecord* detail = out.recording.detail(event.detail);
      ++sum.count;
      sum.bytes += detail ? detail->bytes : 0;
      sum.time += static_cast<double>(event.end - event.begin);
    }
  }
  if (sums.empty()) return;
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.time > b.second.time;
  });
  out.line("Device work outside of calls");
  out.line("---");
  for (std::size_t i = 0; i < std::min(rows.size(), out.options.rows); ++i) {
    const auto& [name, sum] = rows[i];
    const std::string text = fmt::format(
        "    {:>8} {:>4}x {} ({} bytes)", duration(sum.time), sum.count, name, sum.bytes);
    out.line("{}", shorten(text, out.options.columns));
  }
  out.line("");
}

void write_honesty(TextWriter& out) {
  const RecordingHeader& header = out.recording.header();
  const auto events = static_cast<double>(out.recording.event_count());
  const auto length = static_cast<double>(out.recording.end() - out.recording.begin());
  out.line("About this recording");
  out.line("---");
  if (header.simulated) out.line("    Device times are simulated: modelled from a data sheet.");
  if (!header.closed) {
    out.line("    The program still runs, or was killed: the last moments may be missing.");
  }
  out.line(
      "    {} events at {:.0f}ns each: about {:.2f}% of the time; writing took {:.3f}s beside it",
      out.recording.event_count(),
      header.event_cost,
      percent(events * header.event_cost, length),
      header.writer_seconds);
  if (header.slowdown > 0) {
    out.line("    With profiling the program took {:.2f} times as long", header.slowdown);
  }
  if (header.clock_error) {
    out.line(
        "    Device times may be off by {}", duration(static_cast<double>(header.clock_error)));
  }
  const auto recorded = static_cast<std::int64_t>(out.recording.calls().size());
  if (header.call_count > recorded) {
    out.line("    {} of {} calls were recorded", recorded, header.call_count);
  }
  count(out, header.dropped, "records were LOST: the run shows less work than there was");
  count(out, header.without_time, "records came without times");
  count(out, header.unordered, "pieces of device work seem to begin before they were submitted");
  count(out, header.unattributed, "pieces of device work belong to no known node");
  count(out, header.disagreements, "pieces of device work are attributed differently by time");
  if (lacks_host_roofs(out.recording, out.account)) {
    out.line("    What the processor can do at most is not known, and no share of it is shown:");
    out.line("    ./hypatia doctor --roofs measures it for the recordings that follow");
  }
  for (const std::string& message : header.messages)
    out.line("    {}", message);
  out.line("");
}

void write_advice(TextWriter& out) {
  const std::vector<Advice> list = advise(out.recording, out.account);
  out.line("Here are tips to potentially make your code run faster");
  out.line("---");
  if (list.empty()) out.line("    Sorry, no tip for today.");
  std::size_t number = 0;
  for (const Advice& advice : list) {
    const std::string gain =
        advice.gain > 0 ? fmt::format(" (up to {} in all)", duration(advice.gain)) : "";
    const std::size_t begin = out.text.size();
    write_wrapped(out, 5, advice.title + gain);
    out.text.replace(begin, 5, fmt::format("{:>3}. ", ++number));
    write_wrapped(out, 5, advice.evidence);
    if (!advice.fix.empty()) write_wrapped(out, 5, advice.fix);
    if (!advice.lesson.empty()) out.line("     See exercise {}.", advice.lesson);
  }
}

}  // namespace hypatia
