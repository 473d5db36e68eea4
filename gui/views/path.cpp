// The chain of work that decided how long a call took, and sliders that ask what if.

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "gui/model/what_if.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"
#include "profiler/analyze/critical_path.h"

namespace hypatia::gui {

namespace {

struct PathKept {
  std::uint64_t version = 0;
  int function = -2;
  std::uint32_t wanted = 0;
  CriticalPath path;
  Replay replay;
  Speedups speedups;
};

Tone tone_of_wall(Wall wall) {
  switch (wall) {
    case Wall::kernel:
      return Tone::gpu;
    case Wall::transfer:
      return Tone::transfer;
    case Wall::sync:
      return Tone::sync;
    case Wall::launch:
      return Tone::launch;
    case Wall::compile:
      return Tone::compile;
    case Wall::own:
      return Tone::cpu;
    case Wall::call:
      return Tone::hovered;
    case Wall::outside:
      return Tone::idle;
  }
  return Tone::idle;
}

const char* word_of(Wall wall) {
  constexpr std::array<const char*, wall_count> words = {
      "GPU", "transfer", "waiting", "launch", "compile", "CPU", "calling", "outside"};
  return words[static_cast<std::size_t>(wall)];
}

// The function that is chosen, or the one that was called most.
std::uint32_t function_on_path(const Settings& settings, const Profile& profile) {
  if (settings.function >= 0) return static_cast<std::uint32_t>(settings.function) + 1;
  std::uint32_t best = 0;
  std::int64_t most = 0;
  for (const FunctionStats& function : profile.functions)
    if (function.account->calls > most) {
      best = function.id;
      most = function.account->calls;
    }
  return best;
}

// The selected call, or the one of median length.
PathKept& kept_for(AppState& state, const Profile& profile) {
  PathKept& kept = state.kept<PathKept>("path");
  const std::uint64_t version = state.document()->version();
  if (kept.version == version && kept.function == state.settings.function &&
      kept.wanted == state.selection.call)
    return kept;
  const Recording& recording = *profile.recording;
  std::uint32_t call = state.selection.call;
  if (!recording.call(call))
    call = median_call(recording, function_on_path(state.settings, profile));
  kept.version = version;
  kept.function = state.settings.function;
  kept.wanted = state.selection.call;
  kept.path = critical_path(recording, call);
  kept.replay = Replay(recording, call);
  return kept;
}

void strip(AppState& state, const Profile& profile, const CriticalPath& path) {
  const Canvas canvas("path", {ImGui::GetContentRegionAvail().x, em(3)});
  const auto whole = static_cast<double>(std::max<std::int64_t>(path.length(), 1));
  const std::int64_t begin = path.pieces.front().begin;
  for (const PathPiece& piece : path.pieces) {
    const auto at = [&](std::int64_t time) {
      return canvas.low.x +
             static_cast<float>(static_cast<double>(time - begin) / whole) * canvas.width();
    };
    const ImVec2 low{at(piece.begin), canvas.low.y}, high{at(piece.end), canvas.high.y};
    if (high.x - low.x < 0.2F) continue;
    draw_block(low, {std::max(high.x - 0.5F, low.x + 0.5F), high.y}, tone_of_wall(piece.cause));
    const int node = profile.node_of_step(piece.step);
    if (node >= 0 && node == state.selection.node)
      canvas.draw().AddRect(low, high, color(Tone::selected), 0, 0, 2);
    if (!mouse_in(canvas, low, high)) continue;
    state.hovering_node = node;
    ImGui::SetTooltip(
        "%s  %s\n%s",
        word_of(piece.cause),
        time_text(static_cast<double>(piece.end - piece.begin)).c_str(),
        node >= 0 ? profile.node(node).record->name.c_str() : "no node");
    if (canvas.pressed && node >= 0) state.select_node(node);
  }
}

void causes(const CriticalPath& path) {
  const double whole = std::max(1.0, path.times.total());
  const float column = em(13);
  const int columns = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / column));
  int shown = 0;
  for (std::size_t i = 0; i < wall_count; ++i) {
    const double time = path.times.nanoseconds[i];
    if (time <= 0) continue;
    if (shown % columns != 0) ImGui::SameLine(column * static_cast<float>(shown % columns));
    ++shown;
    legend({{tone_of_wall(static_cast<Wall>(i)), word_of(static_cast<Wall>(i))}});
    ImGui::SameLine(0, em(0.5F));
    dim_text(time_text(time) + "  " + percent_text(time / whole));
  }
}

void slider(AppState& state, const char* label, double& value) {
  auto shown = static_cast<float>(value);
  ImGui::SetNextItemWidth(std::min(em(18), ImGui::GetContentRegionAvail().x * 0.5F));
  ImGui::PushID(label);
  if (ImGui::SliderFloat(
          "##slider", &shown, 1, 100, "%.1f times as fast", ImGuiSliderFlags_Logarithmic))
    value = std::clamp(static_cast<double>(shown), 1.0, 1e6);
  state.probe.mark_item(std::string("slider/") + label);
  ImGui::PopID();
  ImGui::SameLine();
  ImGui::TextUnformatted(fit_text(label, ImGui::GetContentRegionAvail().x).c_str());
}

void what_if(AppState& state, const Profile& profile, PathKept& kept) {
  Speedups& speedups = kept.speedups;
  speedups.steps.clear();
  std::string chosen = "the selected node";
  if (state.selection.node >= 0) {
    const NodeStats& node = profile.node(state.selection.node);
    chosen = node.record->name;
    for (const RecordedStep& step : profile.recording->steps())
      if (step.function == node.id.function)
        for (const StepShare& share : step.record->nodes)
          if (share.node == node.id.node) speedups.steps.insert(step.id);
  }
  slider(state, "kernels", speedups.kernel);
  slider(state, "transfers", speedups.transfer);
  slider(state, "launches", speedups.launch);
  slider(state, "the host's own work", speedups.host);
  ImGui::BeginDisabled(state.selection.node < 0);
  slider(state, chosen.c_str(), speedups.chosen);
  ImGui::EndDisabled();
  if (ImGui::Button("as recorded")) speedups = {};
  const double recorded = kept.replay.recorded(), played = kept.replay.length(speedups);
  ImGui::Spacing();
  const WithFont large(Face::large);
  ImGui::TextUnformatted(fmt::format(
                             "{} instead of {}: {} as fast",
                             time_text(played),
                             time_text(recorded),
                             ratio_text(played > 0 ? recorded / played : 1))
                             .c_str());
  state.probe.mark_item("path/answer");
}

// A step of no node submits a captured graph; outside of steps it is the call itself.
std::string name_without_node(const Profile& profile, std::uint32_t step) {
  const RecordedStep* found = profile.recording->step(step);
  return found ? found->record->name + " of a captured graph" : "the call itself";
}

// Each node's part of the path, the longest first.
void path_list(AppState& state, const Profile& profile, const CriticalPath& path) {
  struct Row {
    int node;
    std::uint32_t step;  // where there is no node
    Wall cause;
    double time;
  };

  std::map<std::tuple<int, std::uint32_t, Wall>, double> sums;
  for (const PathPiece& piece : path.pieces) {
    const int node = profile.node_of_step(piece.step);
    sums[{node, node < 0 ? piece.step : 0, piece.cause}] +=
        static_cast<double>(piece.end - piece.begin);
  }
  std::vector<Row> rows;
  for (const auto& [key, time] : sums)
    rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), time});
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time > b.time; });
  const float height = em(1.6F), numbers = em(13);
  const auto shown = std::min<std::size_t>(rows.size(), 60);
  const Canvas canvas(
      "list", {ImGui::GetContentRegionAvail().x, height * static_cast<float>(shown)});
  const float names = std::min(em(19), canvas.width() * 0.38F);
  const auto whole = static_cast<double>(std::max<std::int64_t>(path.length(), 1));
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    const ImVec2 low{canvas.low.x, canvas.low.y + height * static_cast<float>(i)};
    const ImVec2 high{canvas.high.x, low.y + height};
    if (row.node >= 0 && row.node == state.selection.node)
      canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.18F));
    const float y = low.y + (height - ImGui::GetTextLineHeight()) / 2;
    draw_text(
        {low.x + em(0.4F), y},
        names - em(0.8F),
        color(Tone::text),
        row.node >= 0 ? profile.node(row.node).record->name : name_without_node(profile, row.step));
    const float room = canvas.width() - names - numbers;
    const auto width = static_cast<float>(row.time / rows[0].time) * room;
    draw_block(
        {low.x + names, low.y + em(0.3F)},
        {low.x + names + std::max(1.0F, width), high.y - em(0.3F)},
        tone_of_wall(row.cause));
    draw_text(
        {high.x - numbers, y},
        numbers - em(0.3F),
        color(Tone::text_dim),
        std::string(word_of(row.cause)) + "  " + time_text(row.time) + "  " +
            percent_text(row.time / whole),
        Align::right);
    if (row.node >= 0) node_area(state, canvas, row.node, low, high);
  }
}

}  // namespace

void draw_path(AppState& state) {
  const Profile& profile = *state.profile();
  PathKept& kept = kept_for(state, profile);
  if (kept.path.pieces.empty()) {
    empty_message("No call was recorded.", "There is no path through nothing.");
    return;
  }
  dim_text(fmt::format(
      "call {}, {}: {}",
      count_text(kept.path.call),
      state.selection.call == kept.path.call ? "the selected one" : "the one of median length",
      time_text(static_cast<double>(kept.path.length()))));
  strip(state, profile, kept.path);
  causes(kept.path);
  ImGui::Dummy({0, em(0.6F)});
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted("What if");
  }
  if (kept.replay.empty())
    dim_text("This call is too large to be played again.");
  else
    what_if(state, profile, kept);
  ImGui::Dummy({0, em(0.6F)});
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted("On the path");
  }
  ImGui::BeginChild("on the path");
  path_list(state, profile, kept.path);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
