// Memory over the steps of a plan: live bytes on both sides, the peak and who is alive there, and
// what the peak would be if the plan were made differently.

#include "profiler/analyze/memory.h"

#include <algorithm>
#include <fmt/format.h>

#include "gui/views/plot.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct MemoryKept {
  std::uint64_t version = 0;
  std::uint32_t plan = 0;
  int cursor = -1;
  MemoryAnalysis analysis;
};

// The first plan of the chosen function, else the one with the most buffers.
std::uint32_t plan_shown(const Settings& settings, const Recording& recording) {
  std::uint32_t best = 0;
  std::size_t most = 0;
  for (std::uint32_t id = 1; id <= recording.plans().size(); ++id) {
    const PlanRecord& plan = *recording.plan(id);
    if (settings.function >= 0 &&
        plan.function != static_cast<std::uint32_t>(settings.function) + 1)
      continue;
    if (best == 0 || plan.buffers.size() > most) {
      best = id;
      most = plan.buffers.size();
    }
  }
  return best;
}

void curve(AppState& state, MemoryKept& kept, const PlanRecord& plan) {
  const std::vector<LiveBytes>& live = kept.analysis.live;
  const Canvas canvas(
      "live",
      {ImGui::GetContentRegionAvail().x,
       std::max(em(10), ImGui::GetContentRegionAvail().y * 0.42F)});
  Axis x{-0.5, static_cast<double>(live.size()) - 0.5};
  x.whole = true;
  Axis y{0, std::max(1.0, static_cast<double>(kept.analysis.peak.total()) * 1.1)};
  y.binary = true;
  const PlotArea area = plot_area(canvas, x, y);
  draw_axes(
      canvas,
      area,
      x,
      {"step of the plan", [](double v) { return fmt::format("{:g}", v); }},
      y,
      {"live bytes", [](double v) { return bytes_text(v); }});
  for (std::size_t i = 0; i < live.size(); ++i) {
    const float left = x.at(static_cast<double>(i) - 0.5),
                right = x.at(static_cast<double>(i) + 0.5);
    const float middle = y.at(static_cast<double>(live[i].device));
    const float top = y.at(static_cast<double>(live[i].total()));
    const float gap = right - left > 4 ? 1.0F : 0.0F;
    if (live[i].device > 0)
      canvas.draw().AddRectFilled({left, middle}, {right - gap, area.high.y}, color(Tone::gpu));
    if (live[i].host > 0)
      canvas.draw().AddRectFilled({left, top}, {right - gap, middle}, color(Tone::cpu));
    if (static_cast<int>(i) == kept.analysis.peak_step)
      canvas.draw().AddRect({left, top}, {right, area.high.y}, color(Tone::selected));
    if (!mouse_in(canvas, {left, area.low.y}, {right, area.high.y})) continue;
    canvas.draw().AddRectFilled(
        {left, area.low.y}, {right, area.high.y}, color(Tone::hovered, 0.15F));
    ImGui::SetTooltip(
        "step %zu, %s\nhost %s, device %s",
        i,
        plan.steps[i].name.c_str(),
        bytes_text(static_cast<double>(live[i].host)).c_str(),
        bytes_text(static_cast<double>(live[i].device)).c_str());
    if (!canvas.pressed) continue;
    kept.cursor = static_cast<int>(i);
    if (!plan.steps[i].nodes.empty())
      state.select_node(state.profile()->find({plan.function, plan.steps[i].nodes.front().node}));
  }
}

void what_ifs(const MemoryAnalysis& analysis) {
  const auto line = [](const char* what, double bytes, const char* note) {
    ImGui::TextUnformatted(what);
    ImGui::SameLine(em(16));
    ImGui::TextUnformatted(bytes_text(bytes).c_str());
    ImGui::SameLine(em(23));
    dim_text(fit_text(note, ImGui::GetContentRegionAvail().x));
  };
  line(
      "peak as it runs",
      static_cast<double>(analysis.peak.total()),
      "views and work in place take nothing");
  line(
      "held by the plan's slots",
      static_cast<double>(analysis.reserved.total()),
      "for the whole call");
  line(
      "without work in place",
      static_cast<double>(analysis.without_inplace.total()),
      "if it made copies");
  line("without freeing", static_cast<double>(analysis.without_gc.total()), "allow_gc=False");
  line(
      "in the best order",
      static_cast<double>(analysis.best_order),
      analysis.best_is_exact ? "of all valid orders of the steps" : "found step by step");
}

void alive(AppState& state, const MemoryKept& kept, const PlanRecord& plan) {
  const bool at_peak = kept.cursor < 0 || kept.cursor >= static_cast<int>(plan.steps.size());
  const int step = at_peak ? kept.analysis.peak_step : kept.cursor;
  std::vector<std::size_t> buffers;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    if (plan.buffers[i].first_step <= step && plan.buffers[i].last_step >= step)
      buffers.push_back(i);
  std::stable_sort(buffers.begin(), buffers.end(), [&](std::size_t a, std::size_t b) {
    return plan.buffers[a].bytes > plan.buffers[b].bytes;
  });
  dim_text(fmt::format("alive in step {}{}", step, at_peak ? ", the peak" : ""));
  ImGui::BeginChild("alive");
  int shown = 0;
  for (const std::size_t position : buffers) {
    if (++shown > 300) break;
    const BufferRecord& buffer = plan.buffers[position];
    const int node = state.profile()->find({plan.function, buffer.node});
    ImGui::PushID(static_cast<int>(position));
    const float room = ImGui::GetContentRegionAvail().x - em(18);
    if (ImGui::Selectable(
            fit_label(node >= 0 ? state.profile()->node(node).record->name : "?", room - em(1))
                .c_str(),
            node >= 0 && node == state.selection.node))
      state.select_node(node);
    ImGui::SameLine(std::max(room, em(4)));
    dim_text(fmt::format(
        "{}  {}  {}",
        bytes_text(static_cast<double>(buffer.bytes)),
        buffer.on_device ? "device" : "host",
        buffer.kind == 'i'   ? "in place"
        : buffer.kind == 'v' ? "a view"
                             : "created"));
    ImGui::PopID();
  }
  ImGui::EndChild();
}

}  // namespace

void draw_memory(AppState& state) {
  const Recording& recording = *state.profile()->recording;
  const std::uint32_t id = plan_shown(state.settings, recording);
  const PlanRecord* plan = recording.plan(id);
  if (!plan || plan->steps.empty() || plan->buffers.empty()) {
    empty_message("No plan with buffers.", "The function needs none, or nothing was recorded.");
    return;
  }
  MemoryKept& kept = state.kept<MemoryKept>("memory");
  if (kept.version != state.document()->version() || kept.plan != id) {
    kept.version = state.document()->version();
    kept.plan = id;
    kept.cursor = -1;
    kept.analysis = analyze_memory(recording, *plan);
  }
  if (kept.analysis.live.size() != plan->steps.size()) {
    empty_message("The plan's memory can't be shown.", "Its steps and buffers don't fit together.");
    return;
  }
  legend({{Tone::cpu, "host"}, {Tone::gpu, "device"}});
  ImGui::SameLine(0, em(1.5F));
  const FunctionRecord* function = recording.function(plan->function);
  dim_text(fit_text(
      (function ? function->name + ",  " : "") + plan->dims, ImGui::GetContentRegionAvail().x));
  curve(state, kept, *plan);
  what_ifs(kept.analysis);
  ImGui::Spacing();
  alive(state, kept, *plan);
}

}  // namespace hypatia::gui
