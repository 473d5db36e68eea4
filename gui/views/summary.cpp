// The verdict in a sentence, where the wall clock went, the five nodes that cost most, and what the
// recording does not know.

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// How each cause is shown: its tone, and the word that people read.
struct WallPart {
  Tone tone;
  const char* word;
};

constexpr std::array<WallPart, wall_count> wall_parts = {{
    {Tone::gpu, "GPU"},
    {Tone::transfer, "transfer"},
    {Tone::sync, "waiting"},
    {Tone::launch, "launch"},
    {Tone::compile, "compile"},
    {Tone::cpu, "CPU"},
    {Tone::hovered, "calling"},
    {Tone::idle, "outside calls"},
}};

void heading(const char* text) {
  ImGui::Dummy({0, em(0.6F)});
  const WithFont bold(Face::bold);
  ImGui::TextUnformatted(text);
}

void verdict(AppState& state, const Profile& profile) {
  ImGui::Dummy({0, em(0.3F)});
  {
    const WithFont large(Face::large);
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(profile.verdict.c_str());
    ImGui::PopTextWrapPos();
  }
  state.probe.mark_item("summary/verdict");
  dim_text(fmt::format(
      "{}  ·  {}  ·  {} recorded  ·  {}",
      profile.title,
      counted(profile.calls, "call"),
      time_text(profile.length()),
      counted(static_cast<std::int64_t>(profile.recording->event_count()), "event")));
}

void wall_bar(AppState& state, const Profile& profile) {
  heading("Wall clock");
  dim_text("Each moment counts once: GPU before transfer, waiting, launch, compile, CPU.");
  const WallTimes& wall = profile.account.wall;
  const double whole = wall.total();
  const Canvas canvas("wall", {ImGui::GetContentRegionAvail().x, em(2.2F)});
  if (whole <= 0) return;
  float x = canvas.low.x;
  for (std::size_t part = 0; part < wall_count; ++part) {
    const double time = wall.nanoseconds[part];
    const float width = static_cast<float>(time / whole) * canvas.width();
    const ImVec2 low{x, canvas.low.y}, high{x + width, canvas.high.y};
    draw_block(low, high, wall_parts[part].tone);
    const char* word = wall_parts[part].word;
    state.probe.mark(std::string("wall/") + word, low, high);
    if (mouse_in(canvas, low, high))
      ImGui::SetTooltip(
          "%s  %s  %s", word, time_text(time).c_str(), percent_text(time / whole).c_str());
    x += width;
  }
}

void wall_legend(const Profile& profile) {
  const WallTimes& wall = profile.account.wall;
  const double whole = wall.total();
  const float column = em(13);
  const int columns = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / column));
  int shown = 0;
  for (std::size_t part = 0; part < wall_count; ++part) {
    const double time = wall.nanoseconds[part];
    if (time <= 0) continue;
    if (shown % columns != 0) ImGui::SameLine(column * static_cast<float>(shown % columns));
    ++shown;
    legend({{wall_parts[part].tone, wall_parts[part].word}});
    ImGui::SameLine(0, em(0.5F));
    dim_text(time_text(time) + "  " + percent_text(whole > 0 ? time / whole : 0));
  }
}

void top_nodes(AppState& state, const Profile& profile) {
  heading("The five most expensive nodes");
  std::vector<int> order(profile.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto cost = [&](int node) { return profile.node(node).costs().total(); };
  const std::size_t count = std::min<std::size_t>(5, order.size());
  std::partial_sort(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(count),
      order.end(),
      [&](int a, int b) { return cost(a) > cost(b); });
  const double whole = profile.costs.total();
  const float row = em(2);
  const Canvas canvas("top", {ImGui::GetContentRegionAvail().x, row * static_cast<float>(count)});
  for (std::size_t i = 0; i < count; ++i) {
    const NodeStats& node = profile.nodes[static_cast<std::size_t>(order[i])];
    const ImVec2 low{canvas.low.x, canvas.low.y + row * static_cast<float>(i)};
    const ImVec2 high{canvas.high.x, low.y + row};
    if (order[i] == state.selection.node)
      canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.18F));
    const float names = canvas.width() * 0.4F, numbers = em(10);
    const float y = low.y + (row - ImGui::GetTextLineHeight()) / 2;
    draw_text({low.x + em(0.3F), y}, names - em(0.8F), color(Tone::text), node_title(node));
    const float room = canvas.width() - names - numbers;
    draw_costs(
        {low.x + names, low.y + em(0.5F)},
        em(1),
        node.costs(),
        cost(order[0]) > 0 ? static_cast<double>(room) / cost(order[0]) : 0);
    draw_text(
        {high.x - numbers, y},
        numbers - em(0.3F),
        color(Tone::text_dim),
        time_text(node.costs().total()) + "  " +
            percent_text(whole > 0 ? node.costs().total() / whole : 0),
        Align::right);
    node_area(state, canvas, order[i], low, high);
  }
}

void advice(AppState& state, const Profile& profile) {
  if (profile.advice.empty()) return;
  heading("What to do");
  int number = 0;
  for (const Advice& item : profile.advice) {
    ImGui::PushID(++number);
    ImGui::TextColored(color_vector(item.positive ? Tone::good : Tone::warning), "●");
    ImGui::SameLine(0, em(0.5F));
    const std::string gain =
        item.gain > 0 ? "about " + time_text(item.gain) + " to gain" : std::string();
    const float room = ImGui::GetContentRegionAvail().x;
    const float taken = gain.empty() ? 0 : ImGui::CalcTextSize(gain.c_str()).x + em(1.2F);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(("##" + item.title).c_str()) && !item.nodes.empty())
      state.select_node(profile.find(item.nodes.front()));
    const float title = draw_text(at, room - taken, color(Tone::text), item.title);
    draw_text({at.x + title + em(1.2F), at.y}, taken, color(Tone::text_dim), gain);
    state.probe.mark_item("advice/" + item.rule);
    ImGui::Indent(em(1.3F));
    ImGui::PushTextWrapPos();
    dim_text(item.evidence);
    if (!item.fix.empty()) ImGui::TextUnformatted(item.fix.c_str());
    if (!item.lesson.empty()) dim_text("see " + item.lesson);
    ImGui::PopTextWrapPos();
    ImGui::Unindent(em(1.3F));
    ImGui::PopID();
  }
}

void warnings(const Profile& profile) {
  if (profile.warnings.empty()) return;
  heading("What to know about this recording");
  ImGui::PushTextWrapPos();
  for (const std::string& warning : profile.warnings) {
    ImGui::TextColored(color_vector(Tone::warning), "!");
    ImGui::SameLine(0, em(0.6F));
    dim_text(warning);
  }
  ImGui::PopTextWrapPos();
}

void machine(const Profile& profile) {
  const RecordingHeader& header = profile.recording->header();
  heading("Machine");
  ImGui::PushTextWrapPos();
  dim_text(fmt::format("{}, {} cores, {}", header.processor, header.cores, header.started));
  for (const DeviceInfo& device : header.devices)
    if (device.name != "cpu") dim_text(device.name + ": " + device.model + ", " + device.driver);
  if (!header.flags.empty()) dim_text(header.flags);
  ImGui::PopTextWrapPos();
}

}  // namespace

void draw_summary(AppState& state) {
  const Profile& profile = *state.profile();
  ImGui::BeginChild("summary");
  verdict(state, profile);
  wall_bar(state, profile);
  wall_legend(profile);
  top_nodes(state, profile);
  advice(state, profile);
  warnings(profile);
  machine(profile);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
