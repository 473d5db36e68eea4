// The order of a frame: take in what happened outside, keys, panels, overlays, history.

#include "gui/app/ui.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/app/commands.h"
#include "gui/app/course.h"
#include "gui/app/session.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct Area {
  float left, top, right, bottom;

  ImVec2 size() const { return {std::max(right - left, 1.0F), std::max(bottom - top, 1.0F)}; }
};

int document_of(const AppState& state, const std::string& path) {
  for (std::size_t i = 0; i < state.documents.size(); ++i)
    if (state.documents[i]->path() == path) return static_cast<int>(i);
  return -1;
}

// Recordings are opened as soon as there is something to read, and shown when the command ends.
void follow_course(AppState& state) {
  if (const std::string made = state.course->take_recording(); !made.empty()) state.open(made);
  Aim aim = Aim::output;
  std::vector<std::string> recordings;
  if (!state.course->take_end(aim, recordings) || aim == Aim::output || recordings.empty()) return;
  for (const std::string& path : recordings)
    state.open(path);
  state.show(document_of(state, recordings.front()));
  if (aim == Aim::comparison && recordings.size() > 1)
    state.baseline = document_of(state, recordings.back());
  state.settings.view = aim == Aim::comparison ? "compare" : "bars";
}

void take_in(AppState& state) {
  state.probe.clear();
  state.requests.wake_after = 1e9;
  for (const auto& document : state.documents) {
    // While a command begins to write its recording, reading it may fail: it is tried again.
    const bool written = state.course->busy() && document->path() == state.course->recording();
    if (document->poll() && !document->error().empty() && !written) state.say(document->error());
    if (written || document->growing()) {
      document->refresh();
      state.requests.wake_after = std::min(state.requests.wake_after, 0.5);
    }
    if (document->reading()) state.requests.wake_after = std::min(state.requests.wake_after, 0.03);
  }
  state.course->poll();
  follow_course(state);
  if (state.course->running()) state.requests.wake_after = std::min(state.requests.wake_after, 0.1);
  follow_document(state);
  // A newly read recording may have fewer nodes than the selection knows.
  const Profile* profile = state.profile();
  const int count = profile ? static_cast<int>(profile->nodes.size()) : 0;
  if (state.selection.node >= count) state.selection = {};
  state.hovered_node = state.hovering_node < count ? state.hovering_node : -1;
  state.hovering_node = -1;
}

// A line between two areas that can be dragged; changes `size`, which is in font sizes.
void splitter(const char* name, Area area, bool upright, float direction, float& size) {
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::InvisibleButton(name, area.size());
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (lit) ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemActive()) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    size += direction * (upright ? moved.x : moved.y) / ImGui::GetFontSize();
  }
  const float middle = upright ? (area.left + area.right) / 2 : (area.top + area.bottom) / 2;
  const ImU32 tint = color(lit ? Tone::accent : Tone::border);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (upright)
    draw.AddRectFilled({std::floor(middle), area.top}, {std::floor(middle) + 1, area.bottom}, tint);
  else
    draw.AddRectFilled({area.left, std::floor(middle)}, {area.right, std::floor(middle) + 1}, tint);
}

void panel(const char* name, Area area, Tone tone, AppState& state, void (*content)(AppState&)) {
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color(tone));
  ImGui::BeginChild(
      name,
      area.size(),
      false,
      ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollWithMouse |
          ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleColor();
  content(state);
  ImGui::EndChild();
  state.probe.mark(std::string("panel/") + name, {area.left, area.top}, {area.right, area.bottom});
}

void draw_center(AppState& state) {
  const View* view = find_view(state.settings.view.c_str());
  if (!view) {
    state.settings.view = views()[0].name;
    view = views().data();
  }
  draw_tabs(state);
  const bool ready = !view->needs_profile || state.profile();
  ImGui::BeginChild("view", {0, 0}, false, ImGuiWindowFlags_NoScrollbar);
  if (ready)
    view->draw(state);
  else
    draw_start_page(state);
  ImGui::EndChild();
  state.probe.mark_item(std::string("view/") + view->name);
}

void draw_layout(AppState& state, ImVec2 size) {
  Settings& settings = state.settings;
  const float bar = ImGui::GetFrameHeight() + em(0.9F), grip = em(0.35F);
  const float room = size.x / std::max(1.0F, ImGui::GetFontSize());
  settings.left_width = std::clamp(settings.left_width, 8.0F, std::max(8.0F, room * 0.4F));
  settings.card_width = std::clamp(settings.card_width, 12.0F, std::max(12.0F, room * 0.45F));
  settings.log_height = std::clamp(settings.log_height, 3.0F, std::max(3.0F, size.y / em(2)));
  Area center{0, bar, size.x, size.y};
  panel("top", {0, 0, size.x, bar}, Tone::panel, state, draw_top_bar);
  if (settings.show_log) {
    center.bottom -= em(settings.log_height);
    panel("log", {0, center.bottom + grip, size.x, size.y}, Tone::panel, state, draw_log);
    splitter(
        "log grip",
        {0, center.bottom, size.x, center.bottom + grip},
        false,
        -1,
        settings.log_height);
  }
  if (settings.show_left) {
    center.left = em(settings.left_width);
    panel("left", {0, bar, center.left, center.bottom}, Tone::panel, state, draw_nodes_panel);
    splitter(
        "left grip",
        {center.left, bar, center.left + grip, center.bottom},
        true,
        1,
        settings.left_width);
    center.left += grip;
  }
  if (settings.show_card && state.profile()) {
    center.right -= em(settings.card_width);
    panel("card", {center.right, bar, size.x, center.bottom}, Tone::panel, state, draw_card);
    center.right -= grip;
    splitter(
        "card grip",
        {center.right, bar, center.right + grip, center.bottom},
        true,
        -1,
        settings.card_width);
  }
  panel("center", center, Tone::background, state, draw_center);
}

void keep_history(AppState& state) {
  if (ImGui::IsAnyMouseDown()) return;
  state.undo.push(state.settings);
  state.places.push({state.settings.view, state.selection});
}

}  // namespace

void Ui::frame(AppState& state) {
  keep_history(state);
  take_in(state);
  run_pressed_commands(state);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::Begin(
      "hypatia",
      nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus |
          ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  draw_layout(state, size);
  draw_node_menu(state);
  ImGui::End();
  if (state.requests.screenshot)
    draw_caption(state);
  else
    draw_notice(state);
  if (state.help_open) draw_key_map(state);
  if (state.palette_open) draw_palette(state);
}

}  // namespace hypatia::gui
