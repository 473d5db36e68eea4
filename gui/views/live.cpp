// The last calls of each function as they come in, while the program still records.

#include <algorithm>
#include <fmt/format.h>

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

void spark(AppState& state, const Canvas& canvas, const std::vector<Call>& calls) {
  std::int64_t longest = 1;
  for (const Call& call : calls)
    longest = std::max(longest, call.end - call.begin);
  const float step = canvas.width() / static_cast<float>(most_calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto time = static_cast<double>(calls[i].end - calls[i].begin);
    const float height = static_cast<float>(time / static_cast<double>(longest)) * canvas.height();
    const float x = canvas.high.x - step * static_cast<float>(calls.size() - i);
    const bool chosen = state.selection.call == calls[i].number;
    canvas.draw().AddRectFilled(
        {x, canvas.high.y - std::max(height, 1.0F)},
        {x + std::max(step - 1, 1.0F), canvas.high.y},
        color(chosen ? Tone::selected : Tone::accent, chosen ? 1 : 0.75F));
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

}  // namespace

void draw_live(AppState& state) {
  const Profile& profile = *state.profile();
  ImGui::PushTextWrapPos();
  if (state.document()->growing())
    dim_text("The program still records; this page follows it.");
  else
    dim_text("The recording is complete. These are its last calls; click one, then press 4.");
  ImGui::PopTextWrapPos();
  ImGui::BeginChild("live");
  for (const FunctionStats& function : profile.functions) {
    const std::vector<Call> calls = last_calls(*profile.recording, function.id);
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
    const Canvas canvas("calls", {ImGui::GetContentRegionAvail().x, em(5)});
    canvas.draw().AddRectFilled(
        {canvas.low.x, canvas.high.y - 1}, canvas.high, color(Tone::border));
    spark(state, canvas, calls);
    ImGui::PopID();
  }
  ImGui::EndChild();
}

}  // namespace hypatia::gui
