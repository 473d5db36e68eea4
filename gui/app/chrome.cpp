// The bars around the views: what is open, which view, the log, the page of a fresh start.

#include <cstring>
#include <filesystem>
#include <fmt/format.h>

#include "gui/app/course.h"
#include "gui/app/ui.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

void recording_choice(AppState& state) {
  Document* current = state.document();
  const std::string shown = !current             ? "no recording"
                            : current->profile() ? current->profile()->title
                                                 : current->short_name();
  ImGui::SetNextItemWidth(std::min(em(24), ImGui::GetContentRegionAvail().x * 0.3F));
  if (ImGui::BeginCombo("##recording", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    for (std::size_t i = 0; i < state.documents.size(); ++i) {
      Document& document = *state.documents[i];
      const std::string title = document.profile() ? document.profile()->title : "…";
      const bool on = static_cast<int>(i) == state.shown;
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable((title + "   " + document.short_name()).c_str(), on))
        state.show(static_cast<int>(i));
      ImGui::PopID();
    }
    for (const std::string& path : state.recent) {
      ImGui::PushID(path.c_str());
      ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::text_dim));
      const std::string copy = path;
      if (ImGui::Selectable(copy.c_str())) state.open(copy);
      ImGui::PopStyleColor();
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  state.probe.mark_item("top/recording");
}

void function_choice(AppState& state, const Profile& profile) {
  int& chosen = state.settings.function;
  if (chosen >= static_cast<int>(profile.functions.size())) chosen = -1;
  const auto title = [&](int function) -> std::string {
    if (function < 0) return "all functions";
    const std::string& name = profile.functions[static_cast<std::size_t>(function)].record->name;
    return name.empty() ? "function " + std::to_string(function + 1) : name;
  };
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em(11));
  if (ImGui::BeginCombo("##function", title(chosen).c_str())) {
    for (int i = -1; i < static_cast<int>(profile.functions.size()); ++i) {
      ImGui::PushID(i);
      if (ImGui::Selectable(title(i).c_str(), i == chosen)) chosen = i;
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  state.probe.mark_item("top/function");
}

// The totals at the right, and in front of them a small bar.
void totals(const Profile& profile) {
  const Parts& costs = profile.costs;
  const std::string text = fmt::format(
      "CPU {}   GPU {}   transfer {}",
      time_text(costs.cpu()),
      time_text(costs.gpu()),
      time_text(costs.transfer()));
  const float width = ImGui::CalcTextSize(text.c_str()).x, bar = em(8);
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < width + em(3)) return;
  ImGui::SameLine(0, 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float y = at.y + ImGui::GetStyle().FramePadding.y;
  draw_text({right - width, y}, width + 1, color(Tone::text_dim), text);
  if (right - width - bar - em(2) > at.x && costs.total() > 0)
    draw_costs(
        {right - width - bar - em(1), y + em(0.2F)},
        em(0.75F),
        costs,
        static_cast<double>(bar) / costs.total());
}

void tab(AppState& state, const View& view, bool on) {
  ImGui::PushStyleColor(ImGuiCol_Button, color(on ? Tone::accent : Tone::raised, on ? 0.25F : 0));
  ImGui::PushStyleColor(ImGuiCol_Text, color(on ? Tone::text : Tone::text_dim));
  if (ImGui::Button(view.title)) state.settings.view = view.name;
  ImGui::PopStyleColor(2);
  state.probe.mark_item(std::string("tab/") + view.name);
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(view.question);
    if (view.key) dim_text(fmt::format("key {}", view.key));
    ImGui::EndTooltip();
  }
}

void group_tab(AppState& state, const View& first, bool on) {
  const WithFont bold(on ? Face::bold : Face::sans);
  ImGui::PushStyleColor(ImGuiCol_Button, color(Tone::raised, 0));
  ImGui::PushStyleColor(ImGuiCol_Text, color(on ? Tone::text : Tone::text_dim));
  if (ImGui::Button(first.group)) state.settings.view = first.name;
  ImGui::PopStyleColor(2);
  state.probe.mark_item(std::string("group/") + first.group);
  if (!on) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float inset = ImGui::GetStyle().FramePadding.x;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {low.x + inset, high.y - em(0.12F)}, {high.x - inset, high.y}, color(Tone::accent));
}

void recent_files(AppState& state) {
  dim_text("Recent recordings");
  int shown = 0;
  const std::vector<std::string> paths = state.recent;  // opening one changes the list
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (++shown > 8) break;
    const bool there = std::filesystem::exists(path, ignored);
    ImGui::PushStyleColor(ImGuiCol_Text, color(there ? Tone::accent : Tone::text_faint));
    ImGui::PushID(path.c_str());
    if (ImGui::Selectable(fit_label(path, ImGui::GetContentRegionAvail().x).c_str()) && there)
      state.open(path);
    ImGui::PopStyleColor();
    ImGui::PopID();
    state.probe.mark_item("recent/" + path);
  }
  if (shown == 0) dim_text("none yet");
}

}  // namespace

void draw_top_bar(AppState& state) {
  {
    const WithFont bold(Face::bold);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(color_vector(Tone::accent), "hypatia");
  }
  ImGui::SameLine(0, em(1));
  recording_choice(state);
  if (const Profile* profile = state.profile()) {
    function_choice(state, *profile);
    if (const Profile* other = state.baseline_profile()) {
      ImGui::SameLine();
      dim_text(fit_text("against " + other->title, em(16)));
    }
    ImGui::SameLine();
    totals(*profile);
  }
}

void draw_tabs(AppState& state) {
  const View* current = find_view(state.settings.view.c_str());
  const char* group = current ? current->group : "";
  const char* last = "";
  bool first = true;
  for (const View& view : views()) {
    if (std::strcmp(view.group, last) == 0) continue;
    last = view.group;
    if (!first) ImGui::SameLine(0, em(0.2F));
    first = false;
    group_tab(state, view, std::strcmp(group, view.group) == 0);
  }
  first = true;
  for (const View& view : views()) {
    if (std::strcmp(group, view.group) != 0) continue;
    if (!first) ImGui::SameLine(0, em(0.2F));
    first = false;
    tab(state, view, &view == current);
  }
  ImGui::Spacing();
}

void draw_log(AppState& state) {
  const auto& lines = state.course->lines();
  dim_text(state.course->title().empty() ? "Log" : "hypatia " + state.course->title());
  ImGui::BeginChild("lines");
  {
    const WithFont mono(Face::mono);
    ImGuiListClipper clipper;
    const auto own = static_cast<int>(state.log.size());
    clipper.Begin(own + static_cast<int>(lines.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const std::string& line = i < own ? state.log[static_cast<std::size_t>(i)]
                                          : lines[static_cast<std::size_t>(i - own)];
        ImGui::TextUnformatted(line.c_str());
      }
    }
  }
  if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

void draw_start_page(AppState& state) {
  const Document* document = state.document();
  if (document && document->reading()) {
    empty_message("Reading " + document->short_name() + " …", "");
    return;
  }
  ImGui::Dummy({0, em(1)});
  if (document && !document->error().empty()) {
    const WithFont large(Face::large);
    ImGui::TextColored(color_vector(Tone::bad), "This file can't be shown.");
  }
  if (document && !document->error().empty()) {
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(document->error().c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, em(1)});
  } else {
    {
      const WithFont large(Face::large);
      ImGui::TextUnformatted("No recording is open.");
    }
    ImGui::PushTextWrapPos();
    dim_text("Drop a .hyp file here, choose a recent one, or profile an exercise in the course.");
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, em(1)});
  }
  recent_files(state);
}

void draw_caption(AppState& state) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float height = em(1.9F);
  const View* view = find_view(state.settings.view.c_str());
  const Profile* profile = state.profile();
  std::string text = view ? view->title : state.settings.view;
  if (profile) {
    text += "  ·  " + profile->title;
    if (const Profile* other = state.baseline_profile()) text += " against " + other->title;
    if (state.selection.node >= 0)
      text += "  ·  " + profile->node(state.selection.node).record->name;
    text += "  ·  recorded " + profile->recording->header().started;
  }
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  const ImVec2 low{0, size.y - height};
  draw.AddRectFilled(low, size, color(Tone::raised));
  draw.AddRectFilled(low, {size.x, low.y + 1}, color(Tone::accent));
  draw.AddText(
      {em(0.8F), low.y + em(0.4F)}, color(Tone::text), fit_text(text, size.x - em(1.6F)).c_str());
  state.probe.mark("caption", low, size);
}

void draw_notice(AppState& state) {
  if (state.notice.empty() || ImGui::GetTime() > state.notice_until) return;
  state.requests.wake_after = std::min(state.requests.wake_after, 1.0);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  // An error's help stands in lines of its own, and on the page.
  const std::string line = state.notice.substr(0, state.notice.find('\n'));
  const float width = std::min(ImGui::CalcTextSize(line.c_str()).x + em(2), size.x * 0.8F);
  const ImVec2 low{(size.x - width) / 2, size.y - em(3.4F)}, high{low.x + width, low.y + em(2)};
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  draw.AddRectFilled(low, high, color(Tone::raised), em(0.4F));
  draw.AddRect(low, high, color(Tone::border), em(0.4F));
  draw.AddText(
      {low.x + em(1), low.y + em(0.45F)}, color(Tone::text), fit_text(line, width - em(2)).c_str());
}

}  // namespace hypatia::gui
