// The order of the text report's sections, and the lines that stand above a function's tables.

#include "profiler/report/text.h"

#include <algorithm>

#include "profiler/analyze/node_kind.h"
#include "profiler/report/format.h"
#include "profiler/report/text_writer.h"

namespace hypatia {

namespace {

/// What the engine stated when it made the function, or what its calls compiled later.
double compiler_seconds(const FunctionRecord& record, const FunctionAccount& function) {
  return std::max(record.compile_seconds, function.compile_time * 1e-9);
}

double compile_seconds(const FunctionRecord& record, const FunctionAccount& function) {
  return record.rewrite_seconds + record.codegen_seconds + compiler_seconds(record, function);
}

void title(TextWriter& out, const std::string& text) {
  out.line("{}", text);
  out.line("{}", std::string(text.size(), '='));
}

/// A device works on beside the host, so that the work may take longer than the calls.
void explain_more_than_all(TextWriter& out, double work, double calls) {
  if (work <= calls || calls <= 0) return;
  out.line("    (over 100%: the GPU works on beside the host; \"On the wall clock\" counts once)");
}

/// A percentage is of the line above, as in Theano.
void write_times(TextWriter& out, const FunctionAccount& function) {
  const double seconds = 1e-9;
  const double calls = function.call_time;
  const double work = function.parts.total();
  out.line("  Time in {} calls to Function.__call__: {:e}s", function.calls, calls * seconds);
  out.line(
      "  Time in Function.fn.__call__: {:e}s ({:.3f}%)",
      function.step_time * seconds,
      percent(function.step_time, calls));
  out.line("  Time in thunks: {:e}s ({:.3f}%)", work * seconds, percent(work, calls));
  explain_more_than_all(out, work, calls);
  if (function.calls > 1) {
    out.line(
        "  Per call: first {}, median {}, 90% within {}",
        duration(function.first_call),
        duration(function.median),
        duration(function.p90));
  }
}

void write_compile_times(
    TextWriter& out, const FunctionRecord& function, const FunctionAccount& account) {
  const double compilers = compiler_seconds(function, account);
  out.line("  Total compile time: {:e}s", compile_seconds(function, account));
  out.line("    Number of Apply nodes: {}", function.nodes.size());
  out.line("    Optimizer time: {:e}s", function.rewrite_seconds);
  out.line(
      "    Linker time (includes C, CUDA code generation/compiling): {:e}s",
      function.codegen_seconds + compilers);
  out.line("       Code generation time {:e}s", function.codegen_seconds);
  out.line("       Compiler and module loading time {:e}s", compilers);
  out.line("");
  out.line("Time in all call to grad() {:e}s", function.grad_seconds);
}

void write_wall(TextWriter& out, const FunctionAccount& function) {
  const double all = function.wall.total();
  if (all <= 0) return;
  std::string parts;
  for (std::size_t i = 0; i < wall_count; ++i) {
    const double time = function.wall.nanoseconds[i];
    if (percent(time, all) < 0.05) continue;
    parts += fmt::format(
        "{}{} {:.1f}%", parts.empty() ? "" : ", ", name(static_cast<Wall>(i)), percent(time, all));
  }
  out.line("On the wall clock ({}):", duration(all));
  write_wrapped(out, 2, parts);
}

void write_function(TextWriter& out, const FunctionAccount& function) {
  const FunctionRecord& record = out.recording.functions()[function.id - 1];
  title(out, "Function profiling");
  const std::string where = place(record.origin.file, record.origin.line);
  out.line(
      "{}",
      shorten(
          fmt::format("  Message: {}{}", record.name, where.empty() ? "" : " (" + where + ")"),
          out.options.columns));
  if (is_the_engines(record))
    out.line("  The engine's own: a check by verify_grad or check_op compiled it");
  write_times(out, function);
  write_compile_times(out, record, function);
  write_wall(out, function);
  write_tables(out, function.id);
  write_devices(out, function.id);
  write_host_roofs(out, function.id);
  if (out.options.memory) write_memory(out, function.id);
}

void write_sum(TextWriter& out, std::size_t count) {
  FunctionAccount sum;
  double compiling = 0;
  sum.parts = out.account.outside;
  for (const FunctionAccount& function : out.account.functions) {
    sum.calls += function.calls;
    sum.call_time += function.call_time;
    sum.step_time += function.step_time;
    sum.parts.add(function.parts);
    compiling += compile_seconds(out.recording.functions()[function.id - 1], function);
  }
  title(out, "Function profiling");
  out.line("  Message: Sum of all({}) printed profiles at exit", count);
  out.line("  Time in {} calls to Function.__call__: {:e}s", sum.calls, sum.call_time * 1e-9);
  out.line(
      "  Time in thunks: {:e}s ({:.3f}%)",
      sum.parts.total() * 1e-9,
      percent(sum.parts.total(), sum.call_time));
  explain_more_than_all(out, sum.parts.total(), sum.call_time);
  out.line("  Total compile time: {:e}s", compiling);
  write_tables(out, 0);
  write_devices(out, 0);
}

void write_head(TextWriter& out) {
  const RecordingHeader& header = out.recording.header();
  out.line("{}", shorten("Program: " + header.command_line, out.options.columns));
  std::string devices;
  for (const DeviceInfo& device : header.devices) {
    devices += (devices.empty() ? "" : "; ") + device.name + " " + device.model;
  }
  if (!devices.empty()) out.line("{}", shorten("Devices: " + devices, out.options.columns));
  if (!header.flags.empty()) out.line("{}", shorten("Flags: " + header.flags, out.options.columns));
  if (!header.exercise.empty()) {
    out.line("Exercise: {}{}", header.exercise, header.role.empty() ? "" : ", " + header.role);
  }
  out.line("");
}

/// Ids of the functions that were called, the one that took longest first, the engine's own last.
std::vector<std::uint32_t> by_time(const TextWriter& out) {
  std::vector<std::uint32_t> ids;
  for (const FunctionAccount& function : out.account.functions) {
    const std::string& name = out.recording.functions()[function.id - 1].name;
    if (!out.options.function.empty() && name != out.options.function) continue;
    if (function.calls || function.parts.total() > 0) ids.push_back(function.id);
  }
  std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto own = [&](std::uint32_t id) {
      return is_the_engines(out.recording.functions()[id - 1]);
    };
    const auto time = [&](std::uint32_t id) {
      return out.account.functions[id - 1].call_time +
             compile_seconds(out.recording.functions()[id - 1], out.account.functions[id - 1]) *
                 1e9;
    };
    return own(a) != own(b) ? own(b) : time(a) > time(b);
  });
  return ids;
}

}  // namespace

void write_wrapped(TextWriter& out, std::size_t indent, std::string_view words) {
  const std::size_t room = std::max<std::size_t>(40, out.options.columns) - indent;
  while (!words.empty()) {
    std::size_t cut = words.size();
    if (cut > room) {
      cut = words.rfind(' ', room);
      if (cut == std::string_view::npos || cut == 0) cut = room;
    }
    out.line("{}{}", std::string(indent, ' '), words.substr(0, cut));
    words.remove_prefix(std::min(words.size(), cut + 1));
  }
}

std::string text_report(const Recording& recording, const TextOptions& options) {
  const Account account = account_for(recording);
  TextWriter out{recording, account, options, {}};
  write_head(out);
  const std::vector<std::uint32_t> ids = by_time(out);
  for (const std::uint32_t id : ids) {
    write_function(out, account.functions[id - 1]);
    out.line("");
  }
  if (ids.empty()) {
    out.line("No execution time accumulated: no profiled function was called.");
    out.line("");
  }
  if (ids.size() > 1 && options.function.empty()) {
    write_sum(out, ids.size());
    out.line("");
  }
  write_outside(out);
  write_reasons(out);
  write_float64(out);
  write_honesty(out);
  if (options.advice) write_advice(out);
  return std::move(out.text);
}

}  // namespace hypatia
