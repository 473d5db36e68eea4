// How the times of one node's runs are spread, and which calls are in a bin.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/model/node_times.h"
#include "gui/views/plot.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct HistogramKept {
  std::uint64_t version = 0;
  int node = -2, bins = 0, bin = -1;
  bool logarithmic = false;
  NodeTimes times;
  Histogram histogram;
};

HistogramKept& kept_for(AppState& state, int bins) {
  HistogramKept& kept = state.kept<HistogramKept>("histogram");
  const Settings& settings = state.settings;
  const std::uint64_t version = state.document()->version();
  if (kept.version != version || kept.node != state.selection.node) {
    kept.times = node_times(*state.profile(), state.selection.node);
    kept.version = version;
    kept.node = state.selection.node;
    kept.bins = 0;
  }
  if (kept.bins != bins || kept.logarithmic != settings.histogram_log_time) {
    kept.histogram = make_histogram(kept.times, bins, settings.histogram_log_time);
    kept.bins = bins;
    kept.logarithmic = settings.histogram_log_time;
    kept.bin = -1;
  }
  return kept;
}

void histogram_controls(AppState& state) {
  Settings& settings = state.settings;
  int time = settings.histogram_log_time ? 1 : 0, count = settings.histogram_log_count ? 1 : 0;
  int height = settings.histogram_by_time ? 1 : 0;
  if (choose(state, "time", {"linear", "log"}, time)) settings.histogram_log_time = time == 1;
  ImGui::SameLine(0, em(1.2F));
  if (choose(state, "height", {"linear", "log"}, count)) settings.histogram_log_count = count == 1;
  ImGui::SameLine(0, em(1.2F));
  if (choose(state, "of", {"runs", "time"}, height)) settings.histogram_by_time = height == 1;
}

void statistics(const Profile& profile, const HistogramKept& kept) {
  const NodeTimes& times = kept.times;
  const NodeStats& node = profile.node(kept.node);
  ImGui::TextUnformatted(fit_text(node_title(node), ImGui::GetContentRegionAvail().x).c_str());
  const auto runs = static_cast<std::int64_t>(times.runs.size());
  dim_words(
      {fmt::format("{} of its {}:", counted(runs, "run"), times.what),
       "mean " + time_text(times.mean) + " ± " + time_text(times.deviation),
       "median " + time_text(times.median),
       "75 % " + time_text(times.p75),
       "90 % " + time_text(times.p90),
       "99 % " + time_text(times.p99),
       time_text(times.least) + " to " + time_text(times.most)});
}

void marker(const Canvas& canvas, const PlotArea& area, const Axis& x, double at) {
  const float pixel = std::floor(x.at(at));
  canvas.draw().AddRectFilled({pixel, area.low.y}, {pixel + 1, area.high.y}, color(Tone::text_dim));
}

void draw_bins(AppState& state, HistogramKept& kept, const Canvas& canvas) {
  const Settings& settings = state.settings;
  const Histogram& histogram = kept.histogram;
  const std::vector<double>& values =
      settings.histogram_by_time ? histogram.times : histogram.counts;
  const double most = *std::max_element(values.begin(), values.end());
  Axis x{histogram.edges.front(), histogram.edges.back(), 0, 1, settings.histogram_log_time};
  Axis y{
      settings.histogram_log_count ? 0.5 : 0,
      std::max(most * 1.05, 1.0),
      0,
      1,
      settings.histogram_log_count};
  y.whole = !settings.histogram_by_time && !settings.histogram_log_count;
  const PlotArea area = plot_area(canvas, x, y);
  const bool time = settings.histogram_by_time;
  draw_axes(
      canvas,
      area,
      x,
      {"time of one run", [](double v) { return time_text(v); }},
      y,
      {time ? "time" : "runs", [time](double v) {
         return time ? time_text(v) : count_text(static_cast<std::int64_t>(v));
       }});
  const Side side = state.profile()->node(kept.node).record->side;
  const Tone tone = side == Side::gpu        ? Tone::gpu
                    : side == Side::transfer ? Tone::transfer
                                             : Tone::cpu;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ImVec2 low{std::floor(x.at(histogram.edges[i])), std::floor(y.at(values[i]))};
    const ImVec2 high{std::floor(x.at(histogram.edges[i + 1])) - 1, area.high.y};
    if (values[i] > 0) draw_block({low.x, std::min(low.y, high.y - 1)}, high, tone);
    if (!mouse_in(canvas, {low.x, area.low.y}, {high.x + 1, area.high.y})) continue;
    canvas.draw().AddRectFilled({low.x, area.low.y}, high, color(Tone::hovered, 0.15F));
    ImGui::SetTooltip(
        "%s to %s\n%s runs, %s",
        time_text(histogram.edges[i]).c_str(),
        time_text(histogram.edges[i + 1]).c_str(),
        count_text(static_cast<std::int64_t>(histogram.counts[i])).c_str(),
        time_text(histogram.times[i]).c_str());
    if (canvas.pressed) kept.bin = static_cast<int>(i);
  }
  if (kept.bin >= 0 && kept.bin < static_cast<int>(values.size())) {
    const auto bin = static_cast<std::size_t>(kept.bin);
    canvas.draw().AddRect(
        {x.at(histogram.edges[bin]), area.low.y},
        {x.at(histogram.edges[bin + 1]), area.high.y},
        color(Tone::selected));
  }
  marker(canvas, area, x, kept.times.median);
  marker(canvas, area, x, kept.times.p90);
}

void run_list(AppState& state, const HistogramKept& kept) {
  if (kept.bin < 0 || kept.bin >= static_cast<int>(kept.histogram.counts.size())) {
    dim_text("Lines: median and 90 %. Click a bar to list its runs.");
    return;
  }
  const auto bin = static_cast<std::size_t>(kept.bin);
  const double low = kept.histogram.edges[bin], high = kept.histogram.edges[bin + 1];
  dim_text(fmt::format(
      "{} runs between {} and {}; click one to see it on the timeline",
      count_text(static_cast<std::int64_t>(kept.histogram.counts[bin])),
      time_text(low),
      time_text(high)));
  ImGui::BeginChild("runs");
  int shown = 0;
  for (const NodeRun& run : kept.times.runs) {
    if (run.time < low || run.time >= high) continue;
    if (++shown > 200) break;
    ImGui::PushID(shown);
    if (ImGui::Selectable(
            fmt::format("call {}   {}", count_text(run.call), time_text(run.time)).c_str())) {
      state.selection.track = run.track;
      state.selection.event = run.event;
      state.selection.call = run.call;
      state.settings.view = "timeline";
      show_event(state);
    }
    ImGui::PopID();
  }
  ImGui::EndChild();
}

}  // namespace

void draw_histogram(AppState& state) {
  if (state.selection.node < 0) {
    empty_message("No node is selected.", "Click one at the left to see how its times are spread.");
    return;
  }
  histogram_controls(state);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  HistogramKept& kept = kept_for(state, std::clamp(static_cast<int>(room.x / em(0.9F)), 10, 120));
  statistics(*state.profile(), kept);
  if (kept.times.runs.empty()) {
    empty_message("This node has no runs of its own.", "Its work was folded away or not recorded.");
    return;
  }
  {
    const Canvas canvas("histogram", {room.x, std::max(em(8), room.y * 0.6F)});
    draw_bins(state, kept, canvas);
  }
  run_list(state, kept);
}

}  // namespace hypatia::gui
