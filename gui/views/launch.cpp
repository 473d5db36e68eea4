// What it costs to get work onto the device: the driver's call, the work itself, and the wait
// behind other work, per node; how long the queue was; and what one captured graph in place of
// single launches would save.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "gui/model/queue.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct LaunchRow {
  int node;
  double launch, queue, work;  // nanoseconds per call
};

std::vector<LaunchRow> rows_of(const Settings& settings, const Profile& profile) {
  std::vector<LaunchRow> rows;
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    const NodeStats& node = profile.node(i);
    const double calls = static_cast<double>(node.calls());
    if (calls == 0 || node.costs()[Part::launch] <= 0 || !node_shown(settings, profile, i))
      continue;
    rows.push_back(
        {i,
         node.costs()[Part::launch] / calls,
         node.costs()[Part::queue] / calls,
         (node.costs().gpu() + node.costs().transfer()) / calls});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const LaunchRow& a, const LaunchRow& b) {
    return a.launch + a.work > b.launch + b.work;
  });
  return rows;
}

void story(const Profile& profile, const std::vector<LaunchRow>& rows) {
  std::int64_t launches = 0, calls = 0;
  for (const FunctionStats& function : profile.functions) {
    launches += function.account->launches;
    if (function.account->launches > 0) calls += function.account->calls;
  }
  const double time = profile.costs[Part::launch];
  const auto bound = std::count_if(
      rows.begin(), rows.end(), [](const LaunchRow& row) { return row.launch > row.work; });
  const double each = launches > 0 ? time / static_cast<double>(launches) : 0;
  const double saved = each * static_cast<double>(std::max<std::int64_t>(0, launches - calls));
  ImGui::PushTextWrapPos();
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted(
        fmt::format(
            "{} of {} nodes on the device take longer to launch than to run.", bound, rows.size())
            .c_str());
  }
  dim_text(unbroken(fmt::format(
      "{} launches, {} each, {} together. One captured graph a call instead of single launches "
      "would save about {}.",
      count_text(launches),
      time_text(each),
      time_text(time),
      time_text(saved))));
  ImGui::PopTextWrapPos();
}

float numbers_width() {
  return em(16.5F);
}

// Launch, work and queue, one below the other in each row.
void number_columns(ImVec2 at, const std::array<std::string, 3>& texts, ImU32 tint) {
  const float column = numbers_width() / 3;
  for (std::size_t i = 0; i < texts.size(); ++i)
    draw_text(
        {at.x + column * static_cast<float>(i), at.y},
        column - em(0.4F),
        i < 2 ? tint : color(Tone::text_faint),
        texts[i],
        Align::right);
}

void launch_row(
    AppState& state, const Canvas& canvas, const LaunchRow& row, double longest, float top) {
  const NodeStats& node = state.profile()->node(row.node);
  const ImVec2 low{canvas.low.x, top}, high{canvas.high.x, top + em(1.9F)};
  if (row.node == state.selection.node)
    canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.18F));
  const float names = canvas.width() * 0.34F, numbers = numbers_width(), y = top + em(0.4F);
  draw_text({low.x + em(0.4F), y}, names - em(0.8F), color(Tone::text), node_title(node));
  const double scale =
      longest > 0 ? static_cast<double>(canvas.width() - names - numbers) / longest : 0;
  float x = low.x + names;
  const Tone work = node.record->side == Side::transfer ? Tone::transfer : Tone::gpu;
  for (const auto& [time, tone] : std::initializer_list<std::pair<double, Tone>>{
           {row.launch, Tone::launch}, {row.work, work}}) {
    const auto width = static_cast<float>(time * scale);
    if (width > 0.2F) draw_block({x, top + em(0.35F)}, {x + width, top + em(1.5F)}, tone);
    x += width;
  }
  const bool bound = row.launch > row.work;
  number_columns(
      {high.x - numbers, y},
      {time_text(row.launch), time_text(row.work), time_text(row.queue)},
      color(bound ? Tone::warning : Tone::text_dim));
  node_area(state, canvas, row.node, low, high);
}

// How far the host ran ahead of the device.
void draw_queue(AppState& state, const Profile& profile) {
  struct Kept {
    std::uint64_t version = 0;
    QueueCurve curve;
  };

  Kept& kept = state.kept<Kept>("queue");
  if (kept.version != state.document()->version())
    kept = {state.document()->version(), queue_curve(*profile.recording, 600)};
  const QueueCurve& curve = kept.curve;
  if (curve.longest == 0) return;
  dim_text(fmt::format(
      "Launched and not done, over the {}: at most {}",
      curve.whole ? "recording" : "first million",
      count_text(curve.longest)));
  const Canvas canvas("queue", {ImGui::GetContentRegionAvail().x, em(3.2F)});
  state.probe.mark("launch/queue", canvas.low, canvas.high);
  canvas.draw().AddRectFilled(canvas.low, canvas.high, color(Tone::panel));
  const auto pieces = static_cast<float>(curve.most.size());
  for (std::size_t i = 0; i < curve.most.size(); ++i) {
    if (curve.most[i] <= 0) continue;
    const float left = canvas.low.x + canvas.width() * static_cast<float>(i) / pieces;
    const float right = canvas.low.x + canvas.width() * static_cast<float>(i + 1) / pieces;
    const float share = static_cast<float>(curve.most[i]) / static_cast<float>(curve.longest);
    const ImVec2 low{left, canvas.high.y - std::max(1.0F, share * canvas.height())};
    canvas.draw().AddRectFilled(low, {right, canvas.high.y}, color(Tone::sync));
    if (mouse_in(canvas, {left, canvas.low.y}, {right, canvas.high.y}))
      ImGui::SetTooltip("up to %s", count_text(curve.most[i]).c_str());
  }
}

}  // namespace

void draw_launch(AppState& state) {
  const Profile& profile = *state.profile();
  const std::vector<LaunchRow> rows = rows_of(state.settings, profile);
  if (rows.empty()) {
    empty_message("Nothing was launched.", "The work ran on the CPU, or the filter hides it.");
    return;
  }
  story(profile, rows);
  draw_queue(state, profile);
  legend({{Tone::launch, "launch"}, {Tone::gpu, "kernel"}, {Tone::transfer, "copy"}});
  ImGui::SameLine(0, em(1.5F));
  dim_text("per call");
  const ImVec2 line = ImGui::GetItemRectMin();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  number_columns(
      {right - ImGui::GetStyle().ScrollbarSize - numbers_width(), line.y},
      {"launch", "runs", "in queue"},
      color(Tone::text_faint));
  ImGui::BeginChild("launches");
  double longest = 0;
  for (const LaunchRow& row : rows)
    longest = std::max(longest, row.launch + row.work);
  const float height = em(1.9F);
  const auto count = static_cast<int>(rows.size());
  const Canvas canvas(
      "rows", {ImGui::GetContentRegionAvail().x, height * static_cast<float>(count)});
  const int first = std::clamp(static_cast<int>(ImGui::GetScrollY() / height), 0, count);
  const int last = std::min(count, first + static_cast<int>(ImGui::GetWindowHeight() / height) + 2);
  for (int i = first; i < last; ++i)
    launch_row(
        state,
        canvas,
        rows[static_cast<std::size_t>(i)],
        longest,
        canvas.low.y + height * static_cast<float>(i));
  ImGui::EndChild();
}

}  // namespace hypatia::gui
