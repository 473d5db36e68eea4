// Theano's three tables, and a fourth for what devices did.

#include <algorithm>

#include "profiler/report/format.h"
#include "profiler/report/text_writer.h"

namespace hypatia {

namespace {

/// Where a row's work is written: C for the host's generated code, G on a GPU, T a transfer.
const char* type_of(const GroupRow& row) {
  if (row.nodes.empty()) return "-";
  return row.side == Side::cpu ? "C" : row.side == Side::gpu ? "G" : "T";
}

double per_call(double total, std::int64_t calls) {
  return calls ? total / static_cast<double>(calls) : 0;
}

/// "   ... (remaining 3 Ops account for   1.20%(0.01s) of the runtime)"
void write_rest(
    TextWriter& out, const std::vector<GroupRow>& rows, std::size_t shown, const char* what) {
  double share = 0, time = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) {
    share += rows[i].percent;
    time += rows[i].parts.total();
  }
  out.line(
      "   ... (remaining {} {} account for {:6.2f}%({:.2f}s) of the runtime)",
      rows.size() - shown,
      what,
      share,
      time * 1e-9);
  out.line("");
}

void write_row(TextWriter& out, const std::string& cells, const GroupRow& row) {
  const std::string mark = row.approximate ? "≈ " : "";
  const std::size_t used = cells.size() + (row.approximate ? 2 : 0);
  const std::size_t room = out.options.columns > used ? out.options.columns - used : 0;
  out.line("{}{}{}", cells, mark, shorten(row.name, room));
}

/// Under a table with shares.
void explain_shares(TextWriter& out, const std::vector<GroupRow>& rows) {
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const GroupRow& row) { return row.approximate; });
  if (any)
    out.line("   ≈ one kernel ran several nodes: its time is shared out by their modelled cost");
}

void write_group(TextWriter& out, std::uint32_t function, GroupBy by, const char* title) {
  const std::vector<GroupRow> rows = group_nodes(out.recording, out.account, by, function);
  const bool classes = by == GroupBy::op_class;
  out.line("{}", title);
  out.line("---");
  out.line(
      "<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <{} name>",
      classes ? "Class" : "Op");
  const std::size_t shown = std::min(rows.size(), out.options.op_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const GroupRow& row = rows[i];
    const double time = row.parts.total();
    write_row(
        out,
        fmt::format(
            "  {:4.1f}%   {:5.1f}%   {:8.3f}s     {:8.2e}s     {:>2s} {:7d}   {:5d}   ",
            row.percent,
            row.cumulative,
            time * 1e-9,
            per_call(time, row.calls) * 1e-9,
            type_of(row),
            row.calls,
            row.applies),
        row);
  }
  write_rest(out, rows, shown, classes ? "Classes" : "Ops");
}

std::string shapes_of(const Recording& recording, const NodeAccount& node) {
  const RecordedStep* step = recording.step(node.step);
  return step ? step->record->shapes : std::string();
}

void write_apply(TextWriter& out, std::uint32_t function) {
  const std::vector<GroupRow> rows =
      group_nodes(out.recording, out.account, GroupBy::apply, function);
  out.line("Apply");
  out.line("------");
  out.line(
      "<% time> <sum %> <apply time> <time per call> <#call> <id> <Mflops> <Gflops/s> <Apply "
      "name>");
  const std::size_t shown = std::min(rows.size(), out.options.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const GroupRow& row = rows[i];
    const double time = row.parts.total();
    const NodeAccount* node = row.nodes.empty() ? nullptr : out.account.node(row.nodes[0]);
    const double flops = node ? node->rate.flops : 0;
    // Of one call over the time of one call, not of all calls.
    const std::string rates = flops > 0 ? fmt::format(
                                              "{:8.3f}  {:8.2f}   ",
                                              flops * 1e-6,
                                              flops / std::max(1.0, per_call(time, row.calls)))
                                        : std::string(21, ' ');
    write_row(
        out,
        fmt::format(
            "  {:4.1f}%   {:5.1f}%   {:8.3f}s     {:8.2e}s  {:7d} {:>4} {}",
            row.percent,
            row.cumulative,
            time * 1e-9,
            per_call(time, row.calls) * 1e-9,
            row.calls,
            row.nodes.empty() ? std::string("-") : std::to_string(row.nodes[0].node),
            rates),
        row);
    const std::string shapes = node ? shapes_of(out.recording, *node) : std::string();
    if (!shapes.empty()) {
      out.line("    {}", shorten(shapes, out.options.columns - 4));
    }
  }
  explain_shares(out, rows);
  write_rest(out, rows, shown, "Apply instances");
}

void write_device_row(TextWriter& out, const GroupRow& row) {
  const Parts& parts = row.parts;
  const auto cell = [&](Part part) {
    const double time = per_call(parts[part], row.calls);
    return time >= 0.5 ? duration(time) : std::string("-");
  };
  const double copies = per_call(parts.transfer() + parts[Part::copy_on], row.calls);
  const NodeAccount* node = row.nodes.empty() ? nullptr : out.account.node(row.nodes[0]);
  const Rate rate = node ? node->rate : Rate{};
  const std::string roof = rate.roof > 0 ? fmt::format("{:.1f}%", 100 * rate.roof) : "-";
  write_row(
      out,
      fmt::format(
          "{:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>7}  {:>3} ",
          cell(Part::own),
          cell(Part::launch),
          cell(Part::kernel),
          copies >= 0.5 ? duration(copies) : "-",
          cell(Part::queue),
          cell(Part::sync),
          rate.gigabytes > 0 ? fmt::format("{:.1f}", rate.gigabytes) : "-",
          roof,
          row.nodes.empty() ? std::string("-") : std::to_string(row.nodes[0].node)),
      row);
}

void write_spent(TextWriter& out, const char* what, const char* forms[3], const SideTimes& times) {
  const double all = times.total();
  out.line(
      "    {} {:.3f}s({:.2f}%) {}, {:.3f}s({:.2f}%) {} and {:.3f}s({:.2f}%) {}",
      what,
      times.cpu * 1e-9,
      percent(times.cpu, all),
      forms[0],
      times.gpu * 1e-9,
      percent(times.gpu, all),
      forms[1],
      times.transfer * 1e-9,
      percent(times.transfer, all),
      forms[2]);
}

}  // namespace

void write_tables(TextWriter& out, std::uint32_t function) {
  write_group(out, function, GroupBy::op_class, "Class");
  write_group(out, function, GroupBy::op, "Ops");
  if (function) write_apply(out, function);
}

void write_devices(TextWriter& out, std::uint32_t function) {
  const SideTimes kinds = time_by_node_kind(out.recording, out.account, function);
  if (kinds.gpu <= 0 && kinds.transfer <= 0) return;
  out.line("Some info useful for gpu:");
  out.line("");
  const char* by_kind[] = {"in cpu Op", "in gpu Op", "transfert Op"};
  write_spent(out, "Spent", by_kind, kinds);
  const char* by_place[] = {"on the host", "in kernels", "in copies"};
  write_spent(out, "Of it", by_place, time_by_resource(out.account, function));
  out.line("");
  if (!function) return;
  out.line("Per call of each node (GPU time belongs to the node that launched it):");
  out.line("<host> <launch> <kernel> <copies> <queue> <waits> <GB/s> <of roof> <id> <Apply name>");
  const std::vector<GroupRow> rows =
      group_nodes(out.recording, out.account, GroupBy::apply, function);
  const std::size_t shown = std::min(rows.size(), out.options.rows);
  for (std::size_t i = 0; i < shown; ++i)
    write_device_row(out, rows[i]);
  out.line("");
}

}  // namespace hypatia
