// What can be done with a node, wherever it is drawn: the menu of the right button.

#include <algorithm>

#include "gui/app/editor.h"
#include "gui/model/node_times.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

// The run of median length, in the middle of the timeline.
void show_a_run(AppState& state) {
  NodeTimes times = node_times(*state.profile(), state.selection.node);
  if (times.runs.empty()) return state.say("This node has no runs of its own.");
  const auto middle = times.runs.begin() + static_cast<std::ptrdiff_t>(times.runs.size() / 2);
  std::nth_element(
      times.runs.begin(), middle, times.runs.end(), [](const NodeRun& a, const NodeRun& b) {
        return a.time < b.time;
      });
  state.selection.track = middle->track;
  state.selection.event = middle->event;
  state.selection.call = middle->call;
  state.settings.view = "timeline";
  show_event(state);
}

void hide(AppState& state, const std::string& name) {
  std::string& filter = state.settings.filter;
  filter += (filter.empty() ? "-" : ",-") + name;
}

void entries(AppState& state, const NodeStats& node) {
  const std::string& name = node.record->name;
  const auto entry = [&](const char* title, const char* key) {
    const bool clicked = ImGui::MenuItem(title, key);
    state.probe.mark_item(std::string("menu/") + title);
    return clicked;
  };
  if (entry("A run on the timeline", "")) show_a_run(state);
  if (entry("In the graph", "G")) state.settings.view = "graph";
  if (entry("Spread of its times", "Ctrl+click")) state.settings.view = "histogram";
  if (entry("Exact numbers", "3")) state.settings.view = "nodes";
  if (entry("Under the roofline", "8")) state.settings.view = "roofline";
  ImGui::Separator();
  if (entry("Open its source line", "S")) open_source(state);
  if (entry("Write a note", "M")) {
    state.settings.view = "notes";
    state.focus_note = true;
  }
  ImGui::Separator();
  if (entry("Only such nodes", "")) state.settings.filter = node.record->op;
  if (entry("Hide such nodes", "")) hide(state, node.record->op);
  if (entry("Copy its name", "")) ImGui::SetClipboardText(name.c_str());
}

}  // namespace

void draw_node_menu(AppState& state) {
  const Profile* profile = state.profile();
  if (state.menu_wanted) ImGui::OpenPopup("node menu");
  state.menu_wanted = false;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{em(0.7F), em(0.6F)});
  if (ImGui::BeginPopup("node menu")) {
    if (profile && state.selection.node >= 0) {
      const NodeStats& node = profile->node(state.selection.node);
      dim_text(fit_text(node.record->name, em(18)));
      ImGui::Separator();
      entries(state, node);
    } else {
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace hypatia::gui
