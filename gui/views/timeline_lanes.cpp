// Lanes of the timeline. Few events are drawn one by one; many become exact stacked strips, one
// column of pixels at a time from the tracks' prefix sums, so that every zoom costs the same.

#include <algorithm>
#include <cmath>

#include "gui/views/timeline.h"

namespace hypatia::gui {

namespace {

float row_height() {
  return std::floor(em(1.35F));
}

float lane_gap() {
  return std::floor(em(0.55F));
}

/// Draws the tracks of a recording into one window of time.
class Lanes {
 public:
  Lanes(AppState& state, const Canvas& canvas, const TimeWindow& window)
      : state_(state),
        profile_(*state.profile()),
        recording_(*profile_.recording),
        canvas_(canvas),
        draw_(canvas.draw()),
        window_(window) {}

  float draw(float top, EventPlace& hit) {
    int last_lane = 0;
    float y = top;
    const std::span<const Track> tracks = recording_.tracks();
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if (tracks[i].lane() != last_lane) {
        if (last_lane != 0) y += lane_gap();
        last_lane = tracks[i].lane();
        lane_name(tracks[i], y);
      }
      if (y + row_height() >= canvas_.low.y && y <= canvas_.high.y)
        track(static_cast<int>(i), tracks[i], y, hit);
      y += row_height() + 1;
    }
    return y - top;
  }

 private:
  void lane_name(const Track& track, float y) {
    const LaneRecord* lane = recording_.lane(track.lane());
    draw_.AddRectFilled(
        {canvas_.low.x, y - lane_gap() / 2},
        {canvas_.high.x, y - lane_gap() / 2 + 1},
        color(Tone::grid));
    const std::string name = lane && !lane->name.empty() ? lane->name : "lane";
    draw_text(
        {canvas_.low.x + em(0.3F), y + 1},
        window_.left - canvas_.low.x - em(0.6F),
        color(Tone::text_dim),
        name);
    state_.probe.mark("lane/" + name, {canvas_.low.x, y}, {canvas_.high.x, y + row_height()});
  }

  void track(int index, const Track& track, float y, EventPlace& hit) {
    const std::int64_t origin = recording_.begin();
    const std::int64_t begin = origin + static_cast<std::int64_t>(std::floor(window_.begin));
    const std::int64_t end = origin + static_cast<std::int64_t>(std::ceil(window_.end));
    const std::span<const Event> events = track.window(begin, end);
    draw_.PushClipRect({window_.left, y}, {window_.right, y + row_height()}, true);
    walk(index, track.events(), y);
    chosen_outline(index, track, y);
    draw_.PopClipRect();
    find_hit(index, track, events, y, hit);
  }

  // From column to column: a wide event is drawn by itself, columns of narrow ones as strips.
  void walk(int track, std::span<const Event> events, float y) {
    const TrackIndex& index = profile_.indexes[static_cast<std::size_t>(track)];
    const auto columns = static_cast<int>(window_.right - window_.left);
    Run run{};
    std::vector<double> before, after;
    int summed = -1;        // the column whose begin `before` holds
    std::size_t least = 0;  // wide events are drawn once
    for (int column = 0; column < columns;) {
      const std::int64_t begin = time_of(column), end = std::max(time_of(column + 1), begin + 1);
      const std::size_t at = std::max(index.position(begin), least);
      if (at >= events.size()) break;
      const Event& event = events[at];
      const float left = x_of(event.begin), right = x_of(event.end);
      if (event.begin >= end) {
        column = std::max(column + 1, static_cast<int>(left - window_.left));
      } else if (right - left >= 3) {
        one(event, y);
        least = at + 1;
        column = std::max(column + 1, static_cast<int>(right - window_.left));
      } else {
        if (summed != column) index.sums(begin, at, before);
        index.sums(end, index.position(end), after);
        extend(run, column_of(index.kinds(), before, after), column, y);
        before.swap(after);
        summed = ++column;
      }
    }
    flush(run, y);
  }

  std::int64_t time_of(int column) const {
    return recording_.begin() +
           static_cast<std::int64_t>(window_.begin + window_.per_pixel() * column);
  }

  void chosen_outline(int index, const Track& track, float y) {
    const std::int64_t chosen = state_.selection.event;
    const auto events = track.events();
    if (state_.selection.track != index || chosen < 0 ||
        chosen >= static_cast<std::int64_t>(events.size()))
      return;
    const Event& event = events[static_cast<std::size_t>(chosen)];
    const float left = x_of(event.begin);
    draw_.AddRect(
        {left, y},
        {std::max(x_of(event.end), left + 3), y + row_height()},
        color(Tone::selected),
        0,
        0,
        std::max(2.0F, em(0.14F)));
  }

  float x_of(std::int64_t time) const {
    return window_.x(static_cast<double>(time - recording_.begin()));
  }

  void one(const Event& event, float y) {
    const float left = x_of(event.begin), right = x_of(event.end);
    const ImVec2 low{left, y}, high{right, y + row_height()};
    const Tone tone = tone_of(event.kind);
    if (right - left >= em(0.6F))
      draw_block(low, {right - 0.5F, high.y}, tone);
    else
      draw_.AddRectFilled(low, high, color(tone));
    const int node = event.step ? profile_.node_of_step(event.step) : -1;
    if (node >= 0 && node == state_.selection.node)
      draw_.AddRect(low, high, color(Tone::selected), 0, 0, 1);
    else if (node >= 0 && node == state_.hovered_node)
      draw_.AddRect(low, high, color(Tone::hovered), 0, 0, 1);
    if (right - left > em(2)) label(event, low, high);
  }

  void label(const Event& event, ImVec2 low, ImVec2 high) {
    const float left = std::max(low.x, window_.left) + em(0.25F);
    const float right = std::min(high.x, window_.right) - em(0.25F);
    const bool dark_ground = event.kind == EventKind::step || event.kind == EventKind::compile;
    const ImU32 tint = event.kind == EventKind::call ? color(Tone::text)
                       : dark_ground                 ? IM_COL32(255, 255, 255, 255)
                                                     : color(Tone::on_color);
    const float y = low.y + (high.y - low.y - ImGui::GetTextLineHeight()) / 2;
    draw_text({left, y}, right - left, tint, recording_.name_of(event), Align::center);
  }

  static constexpr std::size_t tones = 8;
  using Column = std::array<std::uint8_t, tones>;  // heights in pixels, from below

  static std::size_t layer_of(EventKind kind) {
    switch (tone_of(kind)) {
      case Tone::gpu:
        return 0;
      case Tone::transfer:
        return 1;
      case Tone::cpu:
        return 2;
      case Tone::launch:
        return 3;
      case Tone::compile:
        return 4;
      case Tone::sync:
        return 5;
      case Tone::raised:
        return 6;
      default:
        return 7;
    }
  }

  static Tone tone_of_layer(std::size_t layer) {
    constexpr std::array<Tone, tones> list = {
        Tone::gpu,
        Tone::transfer,
        Tone::cpu,
        Tone::launch,
        Tone::compile,
        Tone::sync,
        Tone::raised,
        Tone::text_faint};
    return list[layer];
  }

  Column column_of(
      const std::vector<EventKind>& kinds,
      const std::vector<double>& before,
      const std::vector<double>& after) const {
    std::array<double, tones> sums{};
    for (std::size_t i = 0; i < kinds.size(); ++i)
      sums[layer_of(kinds[i])] += after[i] - before[i];
    Column column{};
    const double scale = static_cast<double>(row_height()) / window_.per_pixel();
    for (std::size_t layer = 0; layer < tones; ++layer) {
      // The least work still shows as one pixel.
      const double pixels = sums[layer] > 0 ? std::max(1.0, sums[layer] * scale + 0.5) : 0;
      column[layer] = static_cast<std::uint8_t>(std::min(pixels, 255.0));
    }
    return column;
  }

  /// Columns that look the same, drawn as one rectangle for each layer.
  struct Run {
    Column column{};
    int from = 0, to = 0;
  };

  void extend(Run& run, const Column& column, int at, float y) {
    if (run.to == at && run.column == column) {
      run.to = at + 1;
      return;
    }
    flush(run, y);
    run = {column, at, at + 1};
  }

  void flush(const Run& run, float y) {
    if (run.to > run.from) strip(run.column, run.from, run.to, y);
  }

  void strip(const Column& column, int from, int to, float y) {
    float bottom = y + row_height();
    for (std::size_t layer = 0; layer < tones; ++layer) {
      if (column[layer] == 0) continue;
      const float top = std::max(y, bottom - static_cast<float>(column[layer]));
      draw_.AddRectFilled(
          {window_.left + static_cast<float>(from), top},
          {window_.left + static_cast<float>(to), bottom},
          color(tone_of_layer(layer)));
      bottom = top;
    }
  }

  // The event under the mouse, or the nearest within two pixels.
  void find_hit(
      int index, const Track& track, std::span<const Event> events, float y, EventPlace& hit) {
    if (!mouse_in(canvas_, {window_.left, y}, {window_.right, y + row_height()})) return;
    const float mouse = ImGui::GetMousePos().x;
    const std::int64_t time = recording_.begin() + static_cast<std::int64_t>(window_.time(mouse));
    const auto after = std::partition_point(
        events.begin(), events.end(), [&](const Event& e) { return e.end <= time; });
    const auto distance = [&](auto at) {
      return std::max({x_of(at->begin) - mouse, mouse - x_of(at->end), 0.0F});
    };
    auto best = after;
    if (after != events.begin() &&
        (after == events.end() || distance(std::prev(after)) < distance(after)))
      best = std::prev(after);
    if (best == events.end() || distance(best) > 2) return;
    hit = {index, (events.data() - track.events().data()) + (best - events.begin())};
    if (best->step) state_.hovering_node = profile_.node_of_step(best->step);
  }

  AppState& state_;
  const Profile& profile_;
  const Recording& recording_;
  const Canvas& canvas_;
  ImDrawList& draw_;
  const TimeWindow& window_;
};

}  // namespace

const Event* find_event(const Recording& recording, EventPlace place) {
  const std::span<const Track> tracks = recording.tracks();
  if (place.track < 0 || place.track >= static_cast<int>(tracks.size())) return nullptr;
  const auto events = tracks[static_cast<std::size_t>(place.track)].events();
  if (place.event < 0 || place.event >= static_cast<std::int64_t>(events.size())) return nullptr;
  return &events[static_cast<std::size_t>(place.event)];
}

Tone tone_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
    case EventKind::copy_on:
    case EventKind::fill:
      return Tone::gpu;
    case EventKind::copy_in:
    case EventKind::copy_out:
      return Tone::transfer;
    case EventKind::step:
      return Tone::cpu;
    case EventKind::launch:
      return Tone::launch;
    case EventKind::sync:
      return Tone::sync;
    case EventKind::compile:
    case EventKind::pass:
      return Tone::compile;
    case EventKind::call:
      return Tone::raised;
    default:
      return Tone::text_faint;
  }
}

float draw_lanes(
    AppState& state, const Canvas& canvas, const TimeWindow& window, float top, EventPlace& hit) {
  return Lanes(state, canvas, window).draw(top, hit);
}

float lanes_height(const Recording& recording) {
  float height = 0;
  int last_lane = 0;
  for (const Track& track : recording.tracks()) {
    if (track.lane() != last_lane && last_lane != 0) height += lane_gap();
    last_lane = track.lane();
    height += row_height() + 1;
  }
  return height;
}

std::vector<EventPlace> related_events(const Recording& recording, EventPlace place) {
  std::vector<EventPlace> out;
  const Event* event = find_event(recording, place);
  if (!event || event->step == 0) return out;
  // Work is at most a second away from its launch; more would be another call of the same number.
  const Call* call = recording.call(event->call);
  const std::int64_t begin = std::min(event->begin, call ? call->begin : event->begin);
  const std::int64_t end =
      std::max(event->end, call ? call->end : event->end) + std::int64_t{50'000'000};
  for (std::size_t t = 0; t < recording.tracks().size(); ++t) {
    const Track& track = recording.tracks()[t];
    const std::span<const Event> events = track.window(begin, end);
    const std::size_t limit = std::min<std::size_t>(events.size(), 20'000);
    for (std::size_t i = 0; i < limit && out.size() < 64; ++i) {
      if (events[i].step != event->step || events[i].call != event->call) continue;
      out.push_back(
          {static_cast<int>(t),
           (events.data() - track.events().data()) + static_cast<std::int64_t>(i)});
    }
  }
  return out;
}

}  // namespace hypatia::gui
