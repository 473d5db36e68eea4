#include "profiler/report/html.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "profiler/analyze/advice.h"
#include "profiler/analyze/group.h"
#include "profiler/report/format.h"
#include "profiler/report/graph_picture.h"

namespace hypatia {

namespace {

constexpr const char* style = R"(
body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}
h1,h2{font-weight:600}table{border-collapse:collapse;width:100%}
td,th{padding:3px 8px;text-align:right;border-bottom:1px solid #ddd;
font-variant-numeric:tabular-nums}
td:first-child,th:first-child,td.bar{text-align:left}td.bar{width:34%}
.stack{display:flex;height:14px;background:#f2f2f2}.stack i{display:block;height:100%}
.cpu{background:#0072b2}.gpu{background:#e69f00}.transfer{background:#cc79a7}
.sync{background:#999}.other{background:#ccc}.warn{color:#b00020;font-weight:600}
.graph{overflow:auto;border:1px solid #ddd;max-height:640px}.small{color:#666;font-size:13px}
)";

class Page {
 public:
  explicit Page(const Recording& recording)
      : recording_(recording), account_(account_for(recording)) {}

  std::string write() {
    const RecordingHeader& header = recording_.header();
    const std::string title = header.exercise.empty() ? header.program : header.exercise;
    add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>"
        "<style>{}</style></head><body>\n<h1>{}</h1>\n",
        escape_markup(title),
        style,
        escape_markup(title));
    write_head();
    for (const FunctionAccount* function : by_time())
      write_function(*function);
    write_advice();
    text_ += "</body></html>\n";
    return std::move(text_);
  }

 private:
  /// Those that were called, the one that took longest first.
  std::vector<const FunctionAccount*> by_time() const {
    std::vector<const FunctionAccount*> called;
    for (const FunctionAccount& function : account_.functions) {
      if (function.calls || function.parts.total() > 0) called.push_back(&function);
    }
    std::stable_sort(
        called.begin(), called.end(), [](const FunctionAccount* a, const FunctionAccount* b) {
          return a->call_time > b->call_time;
        });
    return called;
  }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void warn(std::int64_t count, const char* what) {
    if (count) add("<p class=\"warn\">{} {}</p>\n", count, what);
  }

  void write_head() {
    const RecordingHeader& header = recording_.header();
    add("<p class=\"small\">{} · {} · {} · {}</p>\n",
        escape_markup(header.command_line),
        escape_markup(header.machine),
        escape_markup(header.flags),
        escape_markup(header.started));
    for (const DeviceInfo& device : header.devices) {
      add("<p class=\"small\">{}: {}</p>\n",
          escape_markup(device.name),
          escape_markup(device.model));
    }
    warn(header.dropped, "records were lost: the run shows less work than there was");
    warn(header.without_time, "records came without times");
    warn(header.unordered, "pieces of device work seem to begin before they were submitted");
    if (!header.closed) add("<p class=\"warn\">The program still ran, or was killed.</p>\n");
    for (const std::string& message : header.messages) {
      add("<p class=\"warn\">{}</p>\n", escape_markup(message));
    }
  }

  void part(const char* colour, double share, const std::string& what) {
    if (share <= 0) return;
    add("<i class=\"{}\" style=\"width:{:.3f}%\" title=\"{}\"></i>",
        colour,
        100 * share,
        escape_markup(what));
  }

  void write_wall(const FunctionAccount& function) {
    const double all = function.wall.total();
    if (all <= 0) return;
    text_ += "<div class=\"stack\">";
    for (std::size_t i = 0; i < wall_count; ++i) {
      const auto wall = static_cast<Wall>(i);
      const char* colour = wall == Wall::kernel     ? "gpu"
                           : wall == Wall::transfer ? "transfer"
                           : wall == Wall::sync     ? "sync"
                           : wall == Wall::call     ? "other"
                                                    : "cpu";
      const double time = function.wall[wall];
      part(colour, time / all, fmt::format("{}: {}", name(wall), duration(time)));
    }
    add("</div>\n<p class=\"small\">{} on the wall clock: <b>{:.0f}%</b> kernels, <b>{:.0f}%</b> "
        "transfers, <b>{:.0f}%</b> waiting, the rest on the host.</p>\n",
        duration(all),
        100 * function.wall[Wall::kernel] / all,
        100 * function.wall[Wall::transfer] / all,
        100 * function.wall[Wall::sync] / all);
  }

  void write_rows(const FunctionAccount& function) {
    const std::vector<GroupRow> rows =
        group_nodes(recording_, account_, GroupBy::apply, function.id);
    const double most = rows.empty() ? 0 : rows[0].parts.total();
    text_ +=
        "<table><tr><th>apply node</th><th class=\"bar\">cpu, gpu, transfer</th><th>%</th>"
        "<th>sum %</th><th>calls</th><th>a call</th><th>GB/s</th><th>GFLOP/s</th>"
        "<th>of roof</th></tr>\n";
    for (const GroupRow& row : rows) {
      const NodeAccount* node = row.nodes.empty() ? nullptr : account_.node(row.nodes[0]);
      const Rate rate = node ? node->rate : Rate{};
      add("<tr><td>{}{}</td><td class=\"bar\"><div class=\"stack\">",
          row.approximate ? "≈ " : "",
          escape_markup(shorten(row.name, 60)));
      if (most > 0) {
        part("cpu", row.parts.cpu() / most, "cpu " + duration(row.parts.cpu()));
        part("gpu", row.parts.gpu() / most, "gpu " + duration(row.parts.gpu()));
        part("transfer", row.parts.transfer() / most, "transfer " + duration(row.parts.transfer()));
      }
      add("</div></td><td>{:.1f}</td><td>{:.1f}</td><td>{}</td><td>{}</td><td>{:.1f}</td>"
          "<td>{:.1f}</td><td>{}</td></tr>\n",
          row.percent,
          row.cumulative,
          row.calls,
          duration(row.parts.total() / static_cast<double>(std::max<std::int64_t>(1, row.calls))),
          rate.gigabytes,
          rate.gflops,
          rate.roof > 0 ? fmt::format("{:.0f}%", 100 * rate.roof) : "");
    }
    text_ += "</table>\n";
  }

  void write_function(const FunctionAccount& function) {
    const FunctionRecord& record = recording_.functions()[function.id - 1];
    add("<h2>{}</h2>\n<p>{} call{}; first {}, median {}, 90% within {}. {}</p>\n",
        escape_markup(record.name),
        function.calls,
        function.calls == 1 ? "" : "s",
        duration(function.first_call),
        duration(function.median),
        duration(function.p90),
        escape_markup(place(record.origin.file, record.origin.line)));
    write_wall(function);
    write_rows(function);
    constexpr std::size_t most_drawn = 400;  // nodes that a page still shows readably
    if (record.nodes.size() <= most_drawn) {
      add("<div class=\"graph\">{}</div>\n", svg_graph(recording_, account_, function.id));
    }
  }

  void write_advice() {
    const std::vector<Advice> list = advise(recording_, account_);
    text_ += "<h2>What to do</h2>\n";
    if (list.empty()) text_ += "<p>Sorry, no tip for today.</p>\n";
    text_ += "<ol>\n";
    for (const Advice& advice : list) {
      add("<li><b>{}</b>{}<br>{}<br>{}</li>\n",
          escape_markup(advice.title),
          advice.gain > 0 ? " (up to " + duration(advice.gain) + ")" : "",
          escape_markup(advice.evidence),
          escape_markup(advice.fix));
    }
    text_ += "</ol>\n";
  }

  const Recording& recording_;
  Account account_;
  std::string text_;
};

}  // namespace

std::string html_report(const Recording& recording) {
  return Page(recording).write();
}

}  // namespace hypatia
