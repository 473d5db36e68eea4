// When a device had nothing to do: how much of the time, why, and each gap.

#include "profiler/analyze/gaps.h"

#include <algorithm>
#include <fmt/format.h>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

constexpr std::size_t cause_count = 6;

struct GapsKept {
  std::uint64_t version = 0;
  std::vector<Gap> gaps;
  std::vector<Occupation> occupation;
};

const GapsKept& kept_gaps(AppState& state, const Profile& profile) {
  GapsKept& kept = state.kept<GapsKept>("gaps");
  if (kept.version != state.document()->version())
    kept = {
        state.document()->version(),
        find_gaps(*profile.recording),
        device_occupation(*profile.recording)};
  return kept;
}

Tone tone_of_cause(GapCause cause) {
  switch (cause) {
    case GapCause::host_busy:
      return Tone::cpu;
    case GapCause::sync:
      return Tone::sync;
    case GapCause::launch_latency:
      return Tone::launch;
    case GapCause::compile:
      return Tone::compile;
    case GapCause::between_calls:
      return Tone::border;
    case GapCause::nothing_queued:
      return Tone::warning;
  }
  return Tone::border;
}

void occupation_bar(const Occupation& device) {
  const auto whole = static_cast<double>(std::max<std::int64_t>(device.end - device.begin, 1));
  const double share = static_cast<double>(device.busy) / whole;
  ImGui::TextUnformatted(device.device.c_str());
  ImGui::SameLine(em(7));
  const float numbers = em(15);
  const Canvas canvas(
      ("##" + device.device).c_str(),
      {ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeightWithSpacing()});
  const float width = std::max(canvas.width() - numbers, 1.0F);
  const float bottom = canvas.low.y + ImGui::GetTextLineHeight();
  canvas.draw().AddRectFilled(canvas.low, {canvas.low.x + width, bottom}, color(Tone::idle));
  canvas.draw().AddRectFilled(
      canvas.low, {canvas.low.x + width * static_cast<float>(share), bottom}, color(Tone::gpu));
  draw_text(
      {canvas.low.x + width, canvas.low.y},
      numbers - em(0.3F),
      color(Tone::text_dim),
      fmt::format("busy {} of {}", percent_text(share), time_text(whole)),
      Align::right);
}

void causes(const std::vector<Gap>& gaps) {
  std::array<double, cause_count> sums{};
  double whole = 0;
  for (const Gap& gap : gaps) {
    sums[static_cast<std::size_t>(gap.cause)] += static_cast<double>(gap.end - gap.begin);
    whole += static_cast<double>(gap.end - gap.begin);
  }
  if (whole <= 0) return;
  {
    const Canvas canvas("causes", {ImGui::GetContentRegionAvail().x, em(1.6F)});
    float x = canvas.low.x;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float width = static_cast<float>(sums[i] / whole) * canvas.width();
      draw_block(
          {x, canvas.low.y}, {x + width, canvas.high.y}, tone_of_cause(static_cast<GapCause>(i)));
      x += width;
    }
  }
  const float column = em(18);
  const int columns = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / column));
  int shown = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= 0) continue;
    if (shown % columns != 0) ImGui::SameLine(column * static_cast<float>(shown % columns));
    ++shown;
    legend({{tone_of_cause(static_cast<GapCause>(i)), name(static_cast<GapCause>(i))}});
    ImGui::SameLine(0, em(0.5F));
    dim_text(time_text(sums[i]));
  }
}

void go_to(AppState& state, const Profile& profile, const Gap& gap) {
  const std::int64_t origin = profile.recording->begin();
  const auto begin = static_cast<double>(gap.begin - origin);
  const auto end = static_cast<double>(gap.end - origin);
  state.selection = {};
  state.selection.node = profile.node_of_step(gap.step);
  state.selection.range_begin = begin;
  state.selection.range_end = end;
  const double margin = (end - begin) * 1.5;
  state.settings.time_begin = std::max(0.0, begin - margin);
  state.settings.time_end = std::min(profile.length(), end + margin);
  state.settings.view = "timeline";
}

void list(AppState& state, const Profile& profile, const std::vector<Gap>& gaps) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("gaps", 4, flags)) return;
  for (const auto& [title, weight] : std::initializer_list<std::pair<const char*, float>>{
           {"lost", 1}, {"at", 1}, {"because", 2.4F}, {"meanwhile", 2.4F}})
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, weight);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(gaps.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Gap& gap = gaps[static_cast<std::size_t>(i)];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(i);
      if (ImGui::Selectable(
              time_text(static_cast<double>(gap.end - gap.begin)).c_str(),
              false,
              ImGuiSelectableFlags_SpanAllColumns))
        go_to(state, profile, gap);
      state.probe.mark_item(fmt::format("gap/{}", i));
      ImGui::PopID();
      ImGui::TableNextColumn();
      dim_text(time_text(static_cast<double>(gap.begin - profile.recording->begin())));
      ImGui::TableNextColumn();
      const float room = ImGui::GetContentRegionAvail().x - em(1.5F);
      legend({{tone_of_cause(gap.cause), fit_text(name(gap.cause), room).c_str()}});
      ImGui::TableNextColumn();
      const int node = profile.node_of_step(gap.step);
      dim_text(fit_text(
          node >= 0 ? profile.node(node).record->name : "–", ImGui::GetContentRegionAvail().x));
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_gaps(AppState& state) {
  const Profile& profile = *state.profile();
  const GapsKept& kept = kept_gaps(state, profile);
  if (kept.occupation.empty()) {
    empty_message("No device took part.", "Idle gaps are those of a GPU; this ran on the CPU.");
    return;
  }
  for (const Occupation& device : kept.occupation)
    occupation_bar(device);
  ImGui::Spacing();
  causes(kept.gaps);
  ImGui::Spacing();
  if (kept.gaps.empty())
    dim_text("No gap is longer than a microsecond.");
  else
    list(state, profile, kept.gaps);
}

}  // namespace hypatia::gui
