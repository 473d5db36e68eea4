// The command palette and the key map: every command by its name, with its key.

#include <algorithm>
#include <fmt/format.h>

#include "gui/app/commands.h"
#include "gui/app/input.h"
#include "gui/app/ui.h"
#include "gui/views/draw.h"

namespace hypatia::gui {

namespace {

constexpr ImGuiWindowFlags overlay =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;

void begin_overlay(const char* name, ImVec2 size) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::GetForegroundDrawList();
  ImGui::SetNextWindowPos(
      {(display.x - size.x) / 2, std::min(display.y * 0.12F, (display.y - size.y) / 2)});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color(Tone::panel));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{em(1), em(0.8F)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, em(0.5F));
  ImGui::SetNextWindowFocus();
  ImGui::Begin(name, nullptr, overlay);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

std::vector<const Command*> matching(const std::string& words) {
  std::vector<const Command*> out;
  for (const Command& command : commands()) {
    bool all = true;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      const std::string word = words.substr(at, end - at);
      if (!word.empty() && word[0] != '-') all = all && passes_filter(word, command.name);
      at = end + 1;
    }
    if (all) out.push_back(&command);
  }
  return out;
}

bool palette_row(AppState& state, const Command& command, bool chosen) {
  const bool clicked = ImGui::Selectable(command.name.c_str(), chosen);
  state.probe.mark_item("command/" + command.name);
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  draw_text(
      {low.x, low.y + ImGui::GetStyle().ItemSpacing.y / 2},
      high.x - low.x - em(0.3F),
      color(Tone::text_faint),
      command.keys,
      Align::right);
  return clicked;
}

int edited(ImGuiInputTextCallbackData* data) {
  static_cast<std::string*>(data->UserData)->assign(data->Buf);
  return 0;
}

}  // namespace

bool text_field(const char* label, const char* hint, std::string& text) {
  std::array<char, 256> buffer{};
  text.copy(buffer.data(), buffer.size() - 1);
  const bool changed = ImGui::InputTextWithHint(
      label, hint, buffer.data(), buffer.size(), ImGuiInputTextFlags_CallbackEdit, edited, &text);
  return changed;
}

void draw_palette(AppState& state) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  begin_overlay(
      "palette", {std::min(em(34), display.x * 0.9F), std::min(em(28), display.y * 0.8F)});
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
    state.palette_row = 0;
  }
  ImGui::SetNextItemWidth(-1);
  if (text_field("##command", "What do you want to do?", state.palette_text)) state.palette_row = 0;
  const std::vector<const Command*> list = matching(state.palette_text);
  const int last = static_cast<int>(list.size()) - 1;
  if (ImGui::IsKeyPressed(key::down)) ++state.palette_row;
  if (ImGui::IsKeyPressed(key::up)) --state.palette_row;
  state.palette_row = std::clamp(state.palette_row, 0, std::max(last, 0));
  const Command* run = nullptr;
  ImGui::BeginChild("commands");
  for (int i = 0; i <= last; ++i)
    if (palette_row(state, *list[static_cast<std::size_t>(i)], i == state.palette_row))
      run = list[static_cast<std::size_t>(i)];
  ImGui::EndChild();
  if (ImGui::IsKeyPressed(key::enter, false) && last >= 0)
    run = list[static_cast<std::size_t>(state.palette_row)];
  ImGui::End();
  if (run) {
    state.palette_open = false;
    run->run(state);
  }
}

void draw_key_map(AppState& state) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  begin_overlay("keys", {std::min(em(58), display.x * 0.95F), std::min(em(45), display.y * 0.95F)});
  {
    const WithFont large(Face::large);
    ImGui::TextUnformatted("Keys");
  }
  ImGui::SameLine();
  dim_text("Ctrl+P finds every command by its name; Escape closes this.");
  ImGui::BeginChild("list");
  ImGui::Columns(2, "keys", false);
  const auto row = [](const std::string& keys, const std::string& what) {
    ImGui::TextColored(color_vector(Tone::accent), "%s", keys.c_str());
    ImGui::SameLine(em(6.5F));
    ImGui::TextUnformatted(fit_text(what, ImGui::GetContentRegionAvail().x).c_str());
  };
  std::string group;
  for (const Command& command : commands()) {
    if (command.keys.empty()) continue;
    if (command.group != group) {
      if (command.group == "Recordings") ImGui::NextColumn();
      group = command.group;
      ImGui::Spacing();
      dim_text(group);
    }
    row(command.keys, command.name);
  }
  ImGui::Spacing();
  dim_text("Mouse and timeline");
  for (const Gesture& gesture : gestures())
    row(gesture.keys, gesture.meaning);
  ImGui::Columns(1);
  ImGui::EndChild();
  state.probe.mark("keys", ImGui::GetWindowPos(), ImGui::GetWindowPos() + ImGui::GetWindowSize());
  ImGui::End();
}

}  // namespace hypatia::gui
