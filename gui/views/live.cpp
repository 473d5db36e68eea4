// The last calls of each function as they come in, and of its nodes, while the program still
// records.

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

constexpr std::size_t most_calls = 240;

std::vector<Call> last_calls(const Recording& recording, std::uint32_t function) {
  std::vector<Call> out;
  const std::span<const Call> calls = recording.calls();
  for (std::size_t i = calls.size(); i > 0 && out.size() < most_calls; --i)
    if (calls[i - 1].function == function) out.push_back(calls[i - 1]);
  std::reverse(out.begin(), out.end());
  return out;
}

// The longest call, or four times the median where some are far longer: those are cut off.
double top_of(const std::vector<Call>& calls) {
  std::vector<double> times;
  for (const Call& call : calls)
    times.push_back(static_cast<double>(call.end - call.begin));
  if (times.empty()) return 1;
  const double most = *std::max_element(times.begin(), times.end());
  return std::max(1.0, times.size() < 8 ? most : std::min(most, 4 * quantile(times, 0.5)));
}

void spark(AppState& state, const Canvas& canvas, const std::vector<Call>& calls) {
  const double top = top_of(calls);
  const float step = canvas.width() / static_cast<float>(most_calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto time = static_cast<double>(calls[i].end - calls[i].begin);
    const bool cut = time > top;
    const float height = static_cast<float>(std::min(time / top, 1.0)) * canvas.height();
    const float x = canvas.high.x - step * static_cast<float>(calls.size() - i);
    const bool chosen = state.selection.call == calls[i].number;
    canvas.draw().AddRectFilled(
        {x, canvas.high.y - std::max(height, 1.0F)},
        {x + std::max(step - 1, 1.0F), canvas.high.y},
        color(chosen ? Tone::selected : Tone::accent, chosen ? 1 : 0.75F));
    if (cut)
      canvas.draw().AddRectFilled(
          {x, canvas.low.y},
          {x + std::max(step - 1, 1.0F), canvas.low.y + 3},
          color(Tone::warning));
    if (!mouse_in(canvas, {x, canvas.low.y}, {x + step, canvas.high.y})) continue;
    ImGui::SetTooltip("call %s: %s", count_text(calls[i].number).c_str(), time_text(time).c_str());
    if (!canvas.pressed) continue;
    const auto origin = state.profile()->recording->begin();
    state.selection.call = calls[i].number;
    state.settings.time_begin = static_cast<double>(calls[i].begin - origin) - time * 0.2;
    state.settings.time_end = static_cast<double>(calls[i].end - origin) + time * 0.2;
    state.settings.time_begin = std::max(0.0, state.settings.time_begin);
  }
}

/// What the most expensive nodes took in each of the last calls.
struct NodeSparks {
  struct Row {
    int node;
    std::vector<double> times;  // by call, the newest last
  };

  std::uint64_t version = 0;
  int function = -2;
  std::size_t calls = 0;
  std::vector<Row> rows;
};

// Work on the device; of nodes that ran on the host, their steps there.
bool counts(const NodeStats& node, EventKind kind) {
  if (kind == EventKind::step) return node.record->side == Side::cpu;
  return kind == EventKind::kernel || kind == EventKind::copy_in || kind == EventKind::copy_out ||
         kind == EventKind::copy_on;
}

const NodeSparks& sparks_for(
    AppState& state, const Profile& profile, const FunctionStats& function) {
  NodeSparks& sparks = state.kept<NodeSparks>("sparks");
  const std::uint64_t version = state.document()->version();
  if (sparks.version == version && sparks.function == function.first_node) return sparks;
  sparks = {version, function.first_node, 0, {}};
  const std::vector<Call> calls = last_calls(*profile.recording, function.id);
  if (calls.empty()) return sparks;
  sparks.calls = calls.size();
  std::map<std::uint32_t, std::size_t> place;  // of a call
  for (const Call& call : calls)
    place.emplace(call.number, place.size());
  std::map<int, std::vector<double>> times;
  for (const Track& track : profile.recording->tracks())
    for (const Event& event : track.window(calls.front().begin, profile.recording->end())) {
      const auto at = place.find(event.call);
      const int node = event.step && at != place.end() ? profile.node_of_step(event.step) : -1;
      if (node < 0 || !counts(profile.node(node), event.kind)) continue;
      std::vector<double>& row = times[node];
      row.resize(calls.size());
      row[at->second] += static_cast<double>(event.end - event.begin);
    }
  for (auto& [node, row] : times)
    sparks.rows.push_back({node, std::move(row)});
  std::sort(sparks.rows.begin(), sparks.rows.end(), [](const auto& a, const auto& b) {
    return std::accumulate(a.times.begin(), a.times.end(), 0.0) >
           std::accumulate(b.times.begin(), b.times.end(), 0.0);
  });
  if (sparks.rows.size() > 12) sparks.rows.resize(12);
  return sparks;
}

void node_spark(AppState& state, const NodeSparks::Row& row) {
  const Profile& profile = *state.profile();
  const NodeStats& node = profile.node(row.node);
  ImGui::PushID(row.node);
  const Canvas canvas("node", {ImGui::GetContentRegionAvail().x, em(1.7F)});
  const float names = canvas.width() * 0.34F, numbers = em(6), y = canvas.low.y + em(0.3F);
  if (row.node == state.selection.node)
    canvas.draw().AddRectFilled(canvas.low, canvas.high, color(Tone::accent, 0.18F));
  draw_text({canvas.low.x + em(0.4F), y}, names - em(0.8F), color(Tone::text), node.record->name);
  const double most = *std::max_element(row.times.begin(), row.times.end());
  const float step = (canvas.width() - names - numbers) / static_cast<float>(most_calls);
  const Tone tone = node.record->side == Side::gpu        ? Tone::gpu
                    : node.record->side == Side::transfer ? Tone::transfer
                                                          : Tone::cpu;
  for (std::size_t i = 0; i < row.times.size(); ++i) {
    const float tall = em(1.4F) * static_cast<float>(row.times[i] / std::max(most, 1.0));
    const float x = canvas.high.x - numbers - step * static_cast<float>(row.times.size() - i);
    const float bottom = canvas.high.y - em(0.1F);
    canvas.draw().AddRectFilled(
        {x, bottom - std::max(tall, 1.0F)}, {x + std::max(step - 1, 1.0F), bottom}, color(tone));
  }
  draw_text(
      {canvas.high.x - numbers, y},
      numbers - em(0.4F),
      color(Tone::text_dim),
      (node.approximate() ? "≈ " : "") + time_text(row.times.back()),
      Align::right);
  node_area(state, canvas, row.node, canvas.low, canvas.high);
  state.probe.mark(fmt::format("spark/{}", row.node), canvas.low, canvas.high);
  ImGui::PopID();
}

// The chosen function, or the one that was called most.
const FunctionStats& busiest(const Settings& settings, const Profile& profile) {
  if (settings.function >= 0) return profile.functions[static_cast<std::size_t>(settings.function)];
  return *std::max_element(
      profile.functions.begin(), profile.functions.end(), [](const auto& a, const auto& b) {
        return a.account->calls < b.account->calls;
      });
}

void draw_nodes(AppState& state, const Profile& profile) {
  if (profile.functions.empty()) return;
  const FunctionStats& function = busiest(state.settings, profile);
  const NodeSparks& sparks = sparks_for(state, profile, function);
  if (sparks.rows.empty()) return;
  ImGui::Dummy({0, em(0.4F)});
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted(("Nodes of " + function.record->name).c_str());
  }
  ImGui::SameLine(0, em(1));
  dim_text(fmt::format(
      "in its last {}; at the right the newest",
      counted(static_cast<std::int64_t>(sparks.calls), "call")));
  for (const NodeSparks::Row& row : sparks.rows)
    node_spark(state, row);
}

}  // namespace

void draw_live(AppState& state) {
  const Profile& profile = *state.profile();
  ImGui::PushTextWrapPos();
  if (state.document()->growing())
    dim_text("The program still records; this page follows it.");
  else
    dim_text(
        "The recording is complete. These are its last calls; click one, then press 4. A mark on "
        "top: "
        "cut off.");
  ImGui::PopTextWrapPos();
  ImGui::BeginChild("live");
  for (const FunctionStats& function : profile.functions) {
    const std::vector<Call> calls = last_calls(*profile.recording, function.id);
    if (calls.empty()) continue;
    ImGui::PushID(static_cast<int>(function.id));
    {
      const WithFont bold(Face::bold);
      ImGui::TextUnformatted(
          function.record->name.empty() ? "a function" : function.record->name.c_str());
    }
    ImGui::SameLine(0, em(1));
    dim_text(fmt::format(
        "{}, median {}, 90 % under {}",
        counted(function.account->calls, "call"),
        time_text(function.account->median),
        time_text(function.account->p90)));
    const Canvas canvas("calls", {ImGui::GetContentRegionAvail().x, em(3.6F)});
    canvas.draw().AddRectFilled(
        {canvas.low.x, canvas.high.y - 1}, canvas.high, color(Tone::border));
    spark(state, canvas, calls);
    ImGui::PopID();
  }
  draw_nodes(state, profile);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
