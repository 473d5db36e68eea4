// The left panel: a filter and all nodes with their share, always at hand.

#include <algorithm>
#include <fmt/format.h>

#include "gui/app/course.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// Which nodes pass, kept until the filter changes.
struct Shown {
  std::uint64_t version = 0;
  std::string filter;
  int function = -2;
  std::vector<int> nodes;
  double longest = 0;
};

const Shown& shown_nodes(AppState& state, const Profile& profile) {
  Shown& shown = state.kept<Shown>("nodes panel");
  const Settings& settings = state.settings;
  if (shown.version == state.document()->version() && shown.filter == settings.filter &&
      shown.function == settings.function)
    return shown;
  shown = {state.document()->version(), settings.filter, settings.function, {}, 0};
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    if (!node_shown(settings, profile, i)) continue;
    shown.nodes.push_back(i);
    shown.longest = std::max(shown.longest, profile.node(i).costs().total());
  }
  return shown;
}

void node_row(
    AppState& state,
    const Canvas& canvas,
    const NodeStats& node,
    int position,
    float top,
    double longest) {
  const ImVec2 low{canvas.low.x, top}, high{canvas.high.x, top + em(2.5F)};
  if (position == state.selection.node)
    canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.2F), em(0.3F));
  else if (position == state.hovered_node)
    canvas.draw().AddRectFilled(low, high, color(Tone::hovered, 0.12F), em(0.3F));
  const float inset = em(0.4F), width = canvas.width() - inset * 2;
  const std::string time = time_text(node.costs().total());
  const float time_width = ImGui::CalcTextSize(time.c_str()).x;
  const float y = top + em(0.3F);
  draw_text(
      {low.x + inset, y}, width - time_width - em(0.5F), color(Tone::text), node.record->name);
  draw_text({low.x + inset, y}, width, color(Tone::text_dim), time, Align::right);
  if (longest > 0)
    draw_costs(
        {low.x + inset, top + em(1.75F)},
        em(0.4F),
        node.costs(),
        static_cast<double>(width) / longest);
  node_area(state, canvas, position, low, high);
}

void exercise_rows(AppState& state) {
  state.course->list();
  for (const Exercise& exercise : state.course->exercises()) {
    if (ImGui::Selectable(exercise.id.c_str())) state.settings.view = "course";
    state.probe.mark_item("left/" + exercise.id);
  }
  if (!state.course->error().empty()) {
    ImGui::PushTextWrapPos();
    dim_text(state.course->error());
    ImGui::PopTextWrapPos();
  }
}

}  // namespace

void draw_nodes_panel(AppState& state) {
  const Profile* profile = state.profile();
  if (!profile) {
    dim_text("Course");
    exercise_rows(state);
    return;
  }
  ImGui::SetNextItemWidth(-1);
  if (state.focus_filter) ImGui::SetKeyboardFocusHere();
  state.focus_filter = false;
  text_field("##filter", "filter:  gemv, -sub   (/)", state.settings.filter);
  state.probe.mark_item("left/filter");
  const Shown& shown = shown_nodes(state, *profile);
  dim_text(fmt::format(
      "{} of {} nodes",
      count_text(static_cast<std::int64_t>(shown.nodes.size())),
      count_text(static_cast<std::int64_t>(profile->nodes.size()))));
  ImGui::BeginChild("list");
  const float row = em(2.5F);
  const auto count = static_cast<int>(shown.nodes.size());
  const Canvas canvas("nodes", {ImGui::GetContentRegionAvail().x, row * static_cast<float>(count)});
  const float scroll = ImGui::GetScrollY();
  const int first = std::clamp(static_cast<int>(scroll / row), 0, count);
  const int last =
      std::clamp(static_cast<int>((scroll + ImGui::GetWindowHeight()) / row) + 1, 0, count);
  for (int i = first; i < last; ++i) {
    const int node = shown.nodes[static_cast<std::size_t>(i)];
    node_row(
        state,
        canvas,
        profile->node(node),
        node,
        canvas.low.y + row * static_cast<float>(i),
        shown.longest);
  }
  ImGui::EndChild();
}

}  // namespace hypatia::gui
