// The timeline's last lane: live bytes of the plans, host over device. A column of pixels shows the
// most that its steps keep alive; where it holds very many, the peak of their plans.

#include <cmath>
#include <fmt/format.h>

#include "gui/model/live_memory.h"
#include "gui/views/timeline.h"

namespace hypatia::gui {

namespace {

struct LaneKept {
  std::uint64_t version = 0;
  LiveMemory memory;
};

const LiveMemory& memory_of(AppState& state) {
  LaneKept& kept = state.kept<LaneKept>("timeline memory");
  if (kept.version != state.document()->version())
    kept = {state.document()->version(), LiveMemory(*state.profile()->recording)};
  return kept.memory;
}

void keep_larger(LiveBytes& most, const LiveBytes& other) {
  if (other.total() > most.total()) most = other;
}

/// Live bytes from column to column of one window of time.
class MemoryLane {
 public:
  MemoryLane(const Profile& profile, const LiveMemory& memory)
      : memory_(memory),
        events_(profile.recording->tracks()[static_cast<std::size_t>(memory.track())].events()),
        index_(profile.indexes[static_cast<std::size_t>(memory.track())]) {}

  LiveBytes between(std::int64_t begin, std::int64_t end) const {
    constexpr std::size_t looked_at = 24;
    LiveBytes most;
    std::size_t at = index_.position(begin);
    // Between two steps of a call, what the first one left is still alive.
    if (at > 0 && at < events_.size() && events_[at - 1].call == events_[at].call)
      most = memory_.during(events_[at - 1].step);
    for (std::size_t seen = 0; at < events_.size() && events_[at].begin < end; ++at, ++seen) {
      if (seen == looked_at) {
        keep_larger(most, memory_.peak(events_[at].step));
        break;
      }
      keep_larger(most, memory_.during(events_[at].step));
    }
    return most;
  }

 private:
  const LiveMemory& memory_;
  std::span<const Event> events_;
  const TrackIndex& index_;
};

void draw_run(
    const Canvas& canvas, float left, float right, float bottom, float scale, LiveBytes bytes) {
  const float device = bottom - static_cast<float>(bytes.device) * scale;
  const float host = device - static_cast<float>(bytes.host) * scale;
  if (bytes.device > 0)
    canvas.draw().AddRectFilled(
        {left, std::min(device, bottom - 1)}, {right, bottom}, color(Tone::gpu, 0.75F));
  if (bytes.host > 0)
    canvas.draw().AddRectFilled(
        {left, std::min(host, device - 1)}, {right, device}, color(Tone::cpu, 0.75F));
}

}  // namespace

float memory_lane_height(AppState& state) {
  return memory_of(state).track() < 0 ? 0 : std::floor(em(3.6F));
}

void draw_memory_lane(AppState& state, const Canvas& canvas, const TimeWindow& window, float top) {
  const LiveMemory& memory = memory_of(state);
  if (memory.track() < 0) return;
  const Profile& profile = *state.profile();
  const MemoryLane lane(profile, memory);
  const float bottom = top + memory_lane_height(state) - em(0.5F), height = bottom - top;
  const float scale = height / static_cast<float>(memory.most().total());
  canvas.draw().AddRectFilled(
      {canvas.low.x, top - em(0.3F)}, {canvas.high.x, top - em(0.3F) + 1}, color(Tone::grid));
  const float room = window.left - canvas.low.x - em(0.6F), x = canvas.low.x + em(0.3F);
  draw_text({x, top + 1}, room, color(Tone::text_dim), "memory");
  draw_text(
      {x, top + ImGui::GetTextLineHeight() + 1},
      room,
      color(Tone::text_faint),
      "to " + bytes_text(static_cast<double>(memory.most().total())));
  state.probe.mark("lane/memory", {canvas.low.x, top}, {canvas.high.x, bottom});
  const std::int64_t origin = profile.recording->begin();
  const auto columns = static_cast<int>(window.right - window.left);
  const auto time_of = [&](int column) {
    return origin + static_cast<std::int64_t>(window.begin + window.per_pixel() * column);
  };
  LiveBytes run;
  int from = 0;
  for (int column = 0; column <= columns; ++column) {
    LiveBytes bytes;
    if (column < columns)
      bytes = lane.between(time_of(column), std::max(time_of(column + 1), time_of(column) + 1));
    const bool same = bytes.host == run.host && bytes.device == run.device;
    if (same && column < columns) continue;
    draw_run(
        canvas,
        window.left + static_cast<float>(from),
        window.left + static_cast<float>(column),
        bottom,
        scale,
        run);
    run = bytes;
    from = column;
  }
  if (!mouse_in(canvas, {window.left, top}, {window.right, bottom})) return;
  const auto column = static_cast<int>(ImGui::GetMousePos().x - window.left);
  const LiveBytes bytes = lane.between(time_of(column), time_of(column + 1) + 1);
  ImGui::SetTooltip(
      "alive in the plan of the call\nhost %s, device %s",
      bytes_text(static_cast<double>(bytes.host)).c_str(),
      bytes_text(static_cast<double>(bytes.device)).c_str());
}

}  // namespace hypatia::gui
