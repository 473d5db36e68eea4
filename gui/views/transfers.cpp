// Copies: by direction, against the ceiling of the link, and one by one.

#include "gui/model/transfers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "gui/views/plot.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct TransfersKept {
  std::uint64_t version = 0;
  Transfers transfers;
};

const Transfers& transfers_for(AppState& state) {
  TransfersKept& kept = state.kept<TransfersKept>("transfers");
  if (kept.version != state.document()->version())
    kept = {state.document()->version(), find_transfers(*state.profile())};
  return kept.transfers;
}

const char* direction(EventKind kind) {
  return kind == EventKind::copy_in    ? "host to device"
         : kind == EventKind::copy_out ? "device to host"
                                       : "on the device";
}

void sums(const Transfers& transfers) {
  for (const EventKind kind : {EventKind::copy_in, EventKind::copy_out, EventKind::copy_on}) {
    double bytes = 0, time = 0;
    std::int64_t count = 0;
    for (const CopyGroup& group : transfers.groups) {
      if (group.kind != kind) continue;
      bytes += static_cast<double>(group.bytes * group.count);
      time += group.time;
      count += group.count;
    }
    if (count == 0) continue;
    ImGui::TextUnformatted(direction(kind));
    ImGui::SameLine(em(9));
    dim_text(fmt::format(
        "{} copies   {}   {}   {}",
        count_text(count),
        bytes_text(bytes),
        time_text(time),
        rate_text(bytes, time)));
  }
}

void ping_pongs(AppState& state, const Profile& profile, const Transfers& transfers) {
  for (const PingPong& pair : transfers.ping_pongs) {
    ImGui::TextColored(color_vector(Tone::warning), "!");
    ImGui::SameLine(0, em(0.6F));
    ImGui::PushID(pair.second);
    const std::string text = fmt::format(
        "there and back: {} feeds {}",
        profile.node(pair.first).record->name,
        profile.node(pair.second).record->name);
    if (ImGui::Selectable(fit_label(text, ImGui::GetContentRegionAvail().x).c_str()))
      state.select_node(pair.second);
    ImGui::PopID();
  }
}

void ceiling(const Canvas& canvas, const PlotArea& area, const Axis& y, double rate, Tone tone) {
  if (rate <= 0) return;
  const float at = std::floor(y.at(rate));
  canvas.draw().AddRectFilled({area.low.x, at}, {area.high.x, at + em(0.12F)}, color(tone));
}

// Of the GPU; nothing where there was none.
Limits device_limits(const Profile& profile) {
  Limits limits;
  for (const DeviceInfo& device : profile.recording->header().devices)
    if (device.name != "cpu") limits = device.limits;
  return limits;
}

// A triangle for what comes out of the device, a circle for the rest; hollow from or to pageable
// memory.
void draw_copy(const Canvas& canvas, const CopyGroup& group, ImVec2 at, float radius) {
  const ImU32 tint = color(group.kind == EventKind::copy_on ? Tone::gpu : Tone::transfer);
  const ImVec2 low = at - ImVec2{radius, radius}, high = at + ImVec2{radius, radius};
  const bool hollow = group.pageable();
  ImDrawList& draw = canvas.draw();
  const float line = em(0.13F);
  if (group.kind == EventKind::copy_out) {
    if (hollow)
      draw.AddTriangle({at.x, low.y}, high, {low.x, high.y}, tint, line);
    else
      draw.AddTriangleFilled({at.x, low.y}, high, {low.x, high.y}, tint);
  } else if (hollow) {
    draw.AddCircle(at, radius, tint, 0, line);
  } else {
    draw.AddCircleFilled(at, radius, tint);
  }
}

// How many copies are of each size: bars at the foot of the chart, four to a power of ten.
void size_bars(
    const Canvas& canvas, const PlotArea& area, const Axis& x, const Transfers& transfers) {
  std::map<int, std::int64_t> counts;
  for (const CopyGroup& group : transfers.groups)
    if (group.bytes > 0)
      counts[static_cast<int>(std::floor(std::log10(static_cast<double>(group.bytes)) * 4))] +=
          group.count;
  std::int64_t most = 1;
  for (const auto& [bin, count] : counts)
    most = std::max(most, count);
  for (const auto& [bin, count] : counts) {
    const float left = x.at(std::pow(10.0, bin / 4.0)),
                right = x.at(std::pow(10.0, (bin + 1) / 4.0));
    const float tall =
        em(2.6F) * std::max(0.04F, static_cast<float>(count) / static_cast<float>(most));
    const ImVec2 low{std::max(left, area.low.x), area.high.y - tall};
    const ImVec2 high{std::min(right - 1, area.high.x), area.high.y};
    canvas.draw().AddRectFilled(low, high, color(Tone::text_faint, 0.45F));
    if (mouse_in(canvas, low, high))
      ImGui::SetTooltip("%s", (count_text(count) + (count == 1 ? " copy" : " copies")).c_str());
  }
}

void scatter(AppState& state, const Canvas& canvas, const Transfers& transfers) {
  const Limits limits = device_limits(*state.profile());
  Axis x{64, 1e6, 0, 1, true}, y{1e7, 1e9, 0, 1, true};
  y.high = std::max(y.high, limits.copy_in_bandwidth * 3);
  for (const CopyGroup& group : transfers.groups) {
    if (group.bytes <= 0 || group.time <= 0) continue;
    x.low = std::min(x.low, static_cast<double>(group.bytes) / 2);
    x.high = std::max(x.high, static_cast<double>(group.bytes) * 2);
    y.low = std::min(y.low, group.rate() / 2);
    y.high = std::max(y.high, group.rate() * 2);
  }
  x.low = std::max(x.low, 1.0);
  const PlotArea area = plot_area(canvas, x, y);
  draw_axes(
      canvas,
      area,
      x,
      {"size of one copy", [](double v) { return si_text(v, "B"); }},
      y,
      {"bytes a second", [](double v) { return si_text(v, "B/s"); }});
  size_bars(canvas, area, x, transfers);
  ceiling(canvas, area, y, limits.copy_in_bandwidth, Tone::good);
  ceiling(canvas, area, y, limits.pageable_bandwidth, Tone::warning);
  for (const CopyGroup& group : transfers.groups) {
    if (group.bytes <= 0 || group.time <= 0) continue;
    const ImVec2 at{x.at(static_cast<double>(group.bytes)), y.at(group.rate())};
    const float radius = em(0.45F);
    const ImVec2 low = at - ImVec2{radius, radius}, high = at + ImVec2{radius, radius};
    draw_copy(canvas, group, at, radius);
    if (group.node >= 0 && group.node == state.selection.node)
      canvas.draw().AddRect(low, high, color(Tone::selected));
    if (mouse_in(canvas, low, high))
      ImGui::SetTooltip(
          "%s, %s, %s to %s",
          bytes_text(static_cast<double>(group.bytes)).c_str(),
          rate_text(group.rate(), 1e9).c_str(),
          memory_word(group.source_memory),
          memory_word(group.target_memory));
    if (group.node >= 0 && mouse_in(canvas, low, high) && canvas.pressed)
      state.select_node(group.node);
  }
}

void list(AppState& state, const Profile& profile, const Transfers& transfers) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("copies", 7, flags)) return;
  for (const auto& [title, weight] : std::initializer_list<std::pair<const char*, float>>{
           {"node", 3},
           {"direction", 2},
           {"memory", 2.6F},
           {"copies", 1},
           {"size", 1.3F},
           {"time", 1.2F},
           {"rate", 1.5F}})
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthStretch, weight);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  int row = 0;
  for (const CopyGroup& group : transfers.groups) {
    if (++row > 500) break;
    ImGui::TableNextRow();
    const auto cell = [](const std::string& text) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(fit_text(text, ImGui::GetContentRegionAvail().x).c_str());
    };
    ImGui::TableNextColumn();
    ImGui::PushID(row);
    const std::string title = group.node >= 0 ? profile.node(group.node).record->name : "no node";
    const bool chosen = group.node >= 0 && group.node == state.selection.node;
    if (ImGui::Selectable(
            fit_label(title, ImGui::GetContentRegionAvail().x).c_str(),
            chosen,
            ImGuiSelectableFlags_SpanAllColumns))
      state.select_node(group.node);
    ImGui::PopID();
    cell(direction(group.kind));
    cell(fmt::format(
        "{} to {}", memory_word(group.source_memory), memory_word(group.target_memory)));
    cell(count_text(group.count));
    cell(bytes_text(static_cast<double>(group.bytes)));
    cell(time_text(group.whole()));
    cell(rate_text(group.rate(), 1e9));
  }
  ImGui::EndTable();
}

}  // namespace

void draw_transfers(AppState& state) {
  const Profile& profile = *state.profile();
  const Transfers& transfers = transfers_for(state);
  if (transfers.groups.empty()) {
    empty_message("Nothing was copied.", "Everything ran on one side.");
    return;
  }
  sums(transfers);
  ping_pongs(state, profile, transfers);
  const Limits limits = device_limits(profile);
  if (limits.copy_in_bandwidth > 0) {
    if (limits.pageable_bandwidth > 0)
      legend({{Tone::good, "link"}, {Tone::warning, "link from pageable memory"}});
    else
      legend({{Tone::good, "link"}});
    ImGui::SameLine(0, em(1.5F));
  }
  dim_text("● in   ▲ out   hollow: pageable   bars: copies of a size");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  {
    const Canvas canvas("scatter", {room.x, std::max(em(12), room.y * 0.6F)});
    scatter(state, canvas, transfers);
  }
  list(state, profile, transfers);
}

}  // namespace hypatia::gui
