// The timeline: ruler, lanes, a measured range, arrows from the selected event to what it launched.

#include "gui/views/timeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/app/input.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

constexpr double shortest_window = 50;  // nanoseconds

/// A drag under way.
struct Drag {
  double from = 0;  // where it began
  bool measuring = false, zooming = false, moved = false;
};

void set_window(Settings& settings, double begin, double end, double length) {
  const double span = std::clamp(end - begin, std::min(shortest_window, length), length);
  const double middle = (begin + end) / 2;
  begin = std::clamp(middle - span / 2, 0.0, length - span);
  settings.time_begin = begin;
  settings.time_end = begin + span;
  if (span >= length) settings.time_begin = settings.time_end = 0;
}

// Room for the longest name of a lane, within reason.
float names_width(const Recording& recording, float all) {
  float width = em(6);
  for (const LaneRecord& lane : recording.lanes())
    width = std::max(width, ImGui::CalcTextSize(lane.name.c_str()).x);
  return std::min(width + em(1.2F), all * 0.3F);
}

TimeWindow window_of(
    const Settings& settings, const Recording& recording, const Canvas& canvas, double length) {
  TimeWindow window;
  const bool whole = !(settings.time_end > settings.time_begin);
  window.begin = whole ? 0 : std::clamp(settings.time_begin, 0.0, length);
  window.end = whole ? length : std::clamp(settings.time_end, 0.0, length);
  if (window.end - window.begin < 1) window.end = window.begin + 1;
  window.left = std::floor(canvas.low.x + names_width(recording, canvas.width()));
  window.right = canvas.high.x;
  return window;
}

void ruler(const Canvas& canvas, const TimeWindow& window) {
  const float width = window.right - window.left;
  const int count = std::max(1, static_cast<int>(width / em(6.5F)));
  const double step = nice_step(window.end - window.begin, count);
  for (const double tick : nice_ticks(window.begin, window.end, count)) {
    const float x = std::floor(window.x(tick));
    canvas.draw().AddRectFilled(
        {x, canvas.low.y + em(1.3F)}, {x + 1, canvas.high.y}, color(Tone::grid));
    const float room = window.right - x - em(0.3F);
    const std::string text = tick_text(tick, step);
    if (ImGui::CalcTextSize(text.c_str()).x <= room)
      draw_text({x + em(0.25F), canvas.low.y + em(0.1F)}, room, color(Tone::text_faint), text);
  }
}

void zoom(Settings& settings, const TimeWindow& window, double at, double factor, double length) {
  set_window(settings, at - (at - window.begin) * factor, at + (window.end - at) * factor, length);
}

void move_by_mouse(AppState& state, const Canvas& canvas, const TimeWindow& window, double length) {
  Settings& settings = state.settings;
  const ImGuiIO& io = ImGui::GetIO();
  const double at = window.time(io.MousePos.x);
  if (canvas.hovered && io.MouseWheel != 0) {
    if (io.MousePos.x < window.left) {
      ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * em(3));
    } else {
      const double speed = io.KeyShift ? 1.6 : io.KeyCtrl ? 1.05 : 1.25;
      zoom(settings, window, at, std::pow(speed, -static_cast<double>(io.MouseWheel)), length);
    }
  }
  if (canvas.active && ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2)) {
    const double by = -static_cast<double>(io.MouseDelta.x) * window.per_pixel();
    set_window(settings, window.begin + by, window.end + by, length);
    ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
  }
}

// A press on an end of the range moves this end.
void take_end(const AppState& state, const TimeWindow& window, Drag& drag) {
  if (!state.selection.has_range()) return;
  const float mouse = ImGui::GetMousePos().x, reach = em(0.35F);
  const double begin = state.selection.range_begin, end = state.selection.range_end;
  const bool first = std::abs(mouse - window.x(begin)) <= reach;
  if (!first && std::abs(mouse - window.x(end)) > reach) return;
  drag.from = first ? end : begin;
  drag.moved = true;
}

void drag_range(AppState& state, const Canvas& canvas, const TimeWindow& window, double length) {
  Drag& drag = state.kept<Drag>("timeline drag");
  const double at = std::clamp(window.time(ImGui::GetMousePos().x), 0.0, length);
  const bool middle_clicked = canvas.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle);
  if (canvas.pressed || middle_clicked) drag = {at, canvas.pressed, middle_clicked, false};
  if (canvas.pressed) take_end(state, window, drag);
  const int button = drag.zooming ? ImGuiMouseButton_Middle : ImGuiMouseButton_Left;
  if (!drag.measuring && !drag.zooming) return;
  if (ImGui::IsMouseDragging(button, 4)) drag.moved = true;
  if (drag.moved) {
    state.selection.range_begin = std::min(drag.from, at);
    state.selection.range_end = std::max(drag.from, at);
  }
  if (ImGui::IsMouseDown(button)) return;
  if (drag.zooming && drag.moved) {
    set_window(state.settings, state.selection.range_begin, state.selection.range_end, length);
    state.selection.range_begin = state.selection.range_end = 0;
  }
  drag.measuring = drag.zooming = false;
}

void select_event(AppState& state, EventPlace place) {
  const Event* event = find_event(*state.profile()->recording, place);
  if (!event) return;
  if (event->step) state.selection.node = state.profile()->node_of_step(event->step);
  state.selection.track = place.track;
  state.selection.event = place.event;
  state.selection.call = event->call;
}

void zoom_to(AppState& state, const Event& event, double length) {
  const auto origin = static_cast<double>(state.profile()->recording->begin());
  const double begin = static_cast<double>(event.begin) - origin;
  const double end = static_cast<double>(event.end) - origin;
  const double margin = std::max(end - begin, 20.0) * 0.3;
  set_window(state.settings, begin - margin, end + margin, length);
}

void click(AppState& state, const Canvas& canvas, EventPlace hit, double length) {
  const Drag& drag = state.kept<Drag>("timeline drag");
  const bool released = canvas.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  if (released && !drag.moved) {
    state.selection.range_begin = state.selection.range_end = 0;
    if (hit) select_event(state, hit);
    if (hit && ImGui::GetIO().KeyCtrl && state.selection.node >= 0)
      state.settings.view = "histogram";
  }
  const Event* under = find_event(*state.profile()->recording, hit);
  if (under && under->step && right_clicked(canvas)) {
    select_event(state, hit);
    open_node_menu(state, state.selection.node);
  }
  const bool middle = canvas.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Middle);
  if (under && middle && !drag.moved) zoom_to(state, *under, length);
  if (!canvas.hovered || !ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return;
  if (under)
    zoom_to(state, *under, length);
  else
    state.settings.time_begin = state.settings.time_end = 0;
}

void tooltip(const AppState& state, const Profile& profile, EventPlace hit) {
  const Recording& recording = *profile.recording;
  const Event* event = find_event(recording, hit);
  if (!event || ImGui::IsAnyMouseDown()) return;
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(recording.name_of(*event).c_str());
  legend({{tone_of(event->kind), name(event->kind)}});
  ImGui::SameLine();
  ImGui::TextUnformatted(time_text(static_cast<double>(event->end - event->begin)).c_str());
  const int node = event->step ? profile.node_of_step(event->step) : -1;
  if (node >= 0) dim_text(profile.node(node).record->name);
  if (const DetailRecord* detail = recording.detail(event->detail);
      detail && event->kind != EventKind::call) {
    const auto time = static_cast<double>(event->end - event->begin);
    if (detail->bytes > 0)
      dim_text(
          bytes_text(static_cast<double>(detail->bytes)) + ", " +
          rate_text(static_cast<double>(detail->bytes), time));
    if (detail->grid[0] > 0 && event->kind == EventKind::kernel)
      dim_text(fmt::format(
          "grid {}×{}×{}, block {}×{}×{}, {} registers",
          detail->grid[0],
          detail->grid[1],
          detail->grid[2],
          detail->block[0],
          detail->block[1],
          detail->block[2],
          detail->registers));
  }
  if (event->call) dim_text("call " + count_text(event->call));
  if (event->flags & event_flag::simulated) dim_text("simulated");
  ImGui::EndTooltip();
  static_cast<void>(state);
}

// Where a track's row stands; the same walk that draws them.
float track_top(const Recording& recording, int track, float top) {
  float y = top;
  int last_lane = 0;
  for (int i = 0; i <= track; ++i) {
    const int lane = recording.tracks()[static_cast<std::size_t>(i)].lane();
    if (lane != last_lane && last_lane != 0) y += std::floor(em(0.55F));
    last_lane = lane;
    if (i < track) y += std::floor(em(1.35F)) + 1;
  }
  return y;
}

// The selected event; where only a node is selected, its first launches in sight.
std::vector<EventPlace> chosen_events(
    const AppState& state, const Profile& profile, const TimeWindow& window) {
  const Recording& recording = *profile.recording;
  const Selection& selection = state.selection;
  if (selection.event >= 0 || selection.node < 0) return {{selection.track, selection.event}};
  constexpr std::size_t too_many = 2000, most = 6;  // events in sight; arrows
  std::vector<EventPlace> places;
  const auto begin = recording.begin() + static_cast<std::int64_t>(window.begin);
  const auto end = recording.begin() + static_cast<std::int64_t>(window.end);
  for (std::size_t t = 0; t < recording.tracks().size(); ++t) {
    const Track& track = recording.tracks()[t];
    const std::span<const Event> events = track.window(begin, end);
    if (events.size() > too_many) continue;
    for (const Event& event : events) {
      if (event.kind != EventKind::launch || event.step == 0 || places.size() >= most) continue;
      if (profile.node_of_step(event.step) == selection.node)
        places.push_back({static_cast<int>(t), &event - track.events().data()});
    }
  }
  return places;
}

// From a launch to its work; `across`: also where one of them is out of sight.
void arrows_of(
    Probe& probe,
    const Recording& recording,
    EventPlace chosen,
    bool across,
    const Canvas& canvas,
    const TimeWindow& window,
    float top) {
  const auto origin = recording.begin();
  const std::vector<EventPlace> places = related_events(recording, chosen);
  const auto launch = std::find_if(places.begin(), places.end(), [&](EventPlace place) {
    return find_event(recording, place)->kind == EventKind::launch;
  });
  if (launch == places.end()) return;
  const Event& from = *find_event(recording, *launch);
  const float half = std::floor(em(1.35F)) / 2;
  const ImVec2 start{
      window.x(static_cast<double>(from.end - origin)),
      track_top(recording, launch->track, top) + half * 2 + 1};  // between lanes, off the names
  for (const EventPlace place : places) {
    const Event& to = *find_event(recording, place);
    if (tone_of(to.kind) != Tone::gpu && tone_of(to.kind) != Tone::transfer) continue;
    ImVec2 end{
        window.x(static_cast<double>(to.begin - origin)),
        track_top(recording, place.track, top) + half};
    // What lies far outside is pointed at from the edge.
    const bool far = end.x > window.right || start.x < window.left;
    if (far && !across) continue;
    end.x = std::min(end.x, window.right);
    const ImU32 tint = color(Tone::selected, 0.8F);
    const float bend = std::max(em(1), std::abs(end.x - start.x) / 2);
    canvas.draw().AddBezierCubic(
        start, {start.x + bend, start.y}, {end.x - bend, end.y}, end, tint, em(0.1F));
    probe.mark("arrow", start, end);
    const float tip = em(0.35F);
    canvas.draw().AddTriangleFilled(
        end, {end.x - tip, end.y - tip * 0.6F}, {end.x - tip, end.y + tip * 0.6F}, tint);
  }
}

void arrows(AppState& state, const Canvas& canvas, const TimeWindow& window, float top) {
  const Profile& profile = *state.profile();
  const bool one = state.selection.event >= 0;
  for (const EventPlace chosen : chosen_events(state, profile, window))
    arrows_of(state.probe, *profile.recording, chosen, one, canvas, window, top);
}

void range_shade(AppState& state, const Canvas& canvas, const TimeWindow& window) {
  if (!state.selection.has_range()) return;
  const float left = window.x(state.selection.range_begin);
  const float right = window.x(state.selection.range_end);
  canvas.draw().AddRectFilled(
      {left, canvas.low.y}, {right, canvas.high.y}, color(Tone::accent, 0.12F));
  for (const float x : {left, right})
    canvas.draw().AddRectFilled({x, canvas.low.y}, {x + 1, canvas.high.y}, color(Tone::accent));
  state.probe.mark("range", {left, canvas.low.y}, {right, canvas.high.y});
}

// Of the selected range, or of what is visible.
void sums_line(const AppState& state, const Profile& profile, double length) {
  const Settings& settings = state.settings;
  const Selection& selection = state.selection;
  const bool range = selection.has_range();
  const bool whole = !(settings.time_end > settings.time_begin);
  const double begin = range ? selection.range_begin : whole ? 0 : settings.time_begin;
  const double end = range ? selection.range_end : whole ? length : settings.time_end;
  KindTimes sums{};
  const std::int64_t origin = profile.recording->begin();
  for (const Track& track : profile.recording->tracks()) {
    const KindTimes times = track.busy(
        origin + static_cast<std::int64_t>(begin), origin + static_cast<std::int64_t>(end));
    for (std::size_t kind = 0; kind < sums.size(); ++kind)
      sums[kind] += times[kind];
  }
  const auto time = [&](EventKind kind) {
    return static_cast<double>(sums[static_cast<std::size_t>(kind)]);
  };
  dim_text(fit_text(
      fmt::format(
          "{} {}:  GPU {}   transfer {}   launch {}   waiting {}",
          range ? "range of" : "visible",
          time_text(end - begin),
          time_text(time(EventKind::kernel) + time(EventKind::copy_on) + time(EventKind::fill)),
          time_text(time(EventKind::copy_in) + time(EventKind::copy_out)),
          time_text(time(EventKind::launch)),
          time_text(time(EventKind::sync))),
      ImGui::GetContentRegionAvail().x));
}

// The next or previous event of the selected one's node, on the same track.
void step_event(AppState& state, int by) {
  const Recording& recording = *state.profile()->recording;
  const Selection& selection = state.selection;
  const Event* from = find_event(recording, {selection.track, selection.event});
  if (!from) return;
  const auto events = recording.tracks()[static_cast<std::size_t>(selection.track)].events();
  for (std::int64_t at = selection.event + by, tries = 0;
       at >= 0 && at < static_cast<std::int64_t>(events.size()) && tries < 1'000'000;
       at += by, ++tries) {
    const Event& event = events[static_cast<std::size_t>(at)];
    if (event.step != from->step || event.kind != from->kind) continue;
    select_event(state, {selection.track, at});
    return;
  }
}

// From the launch to the work, or back.
void step_flow(AppState& state, bool forward) {
  const Recording& recording = *state.profile()->recording;
  const EventPlace chosen{state.selection.track, state.selection.event};
  for (const EventPlace place : related_events(recording, chosen)) {
    const Tone tone = tone_of(find_event(recording, place)->kind);
    const bool work = tone == Tone::gpu || tone == Tone::transfer;
    const bool launch = tone == Tone::launch;
    if ((forward && work) || (!forward && launch)) {
      select_event(state, place);
      return;
    }
  }
}

// Brings the selection into view if it is outside.
void follow(AppState& state, const TimeWindow& window, double length) {
  const Event* event =
      find_event(*state.profile()->recording, {state.selection.track, state.selection.event});
  if (!event) return;
  const double at = static_cast<double>(event->begin - state.profile()->recording->begin());
  const double span = window.end - window.begin;
  if (at < window.begin || at > window.end)
    set_window(state.settings, at - span / 2, at + span / 2, length);
}

void keys(AppState& state, const TimeWindow& window, double length) {
  Settings& settings = state.settings;
  const double span = window.end - window.begin;
  const double dt = std::min(0.1, static_cast<double>(ImGui::GetIO().DeltaTime));
  const double pan = (held(key::of('d')) ? 1 : 0) - (held(key::of('a')) ? 1 : 0);
  const double grow = (held(key::of('s')) ? 1 : 0) - (held(key::of('w')) ? 1 : 0);
  const float lift = (held(key::of('e')) ? 1.0F : 0.0F) - (held(key::of('q')) ? 1.0F : 0.0F);
  if (lift != 0) ImGui::SetScrollY(ImGui::GetScrollY() + lift * em(30) * static_cast<float>(dt));
  if (pan != 0)
    set_window(settings, window.begin + pan * span * dt, window.end + pan * span * dt, length);
  const float mouse = ImGui::GetMousePos().x;
  const bool on = mouse > window.left && mouse < window.right;
  const double at = on ? window.time(mouse) : (window.begin + window.end) / 2;
  if (grow != 0) zoom(settings, window, at, std::pow(4.0, grow * dt), length);
  if (pan != 0 || grow != 0 || lift != 0) state.requests.wake_after = 0.01;
  const bool next = pressed({0, '.'}), previous = pressed({0, ','});
  if (next || previous) step_event(state, next ? 1 : -1);
  const bool forward = pressed({0, ']'}), backward = pressed({0, '['});
  if (forward || backward) step_flow(state, forward);
  if (next || previous || forward || backward) follow(state, window, length);
  if (!pressed({key::of('f')})) return;
  if (state.selection.has_range())
    set_window(settings, state.selection.range_begin, state.selection.range_end, length);
  else if (
      const Event* event =
          find_event(*state.profile()->recording, {state.selection.track, state.selection.event}))
    zoom_to(state, *event, length);
}

}  // namespace

void show_event(AppState& state) {
  const double length = std::max(1.0, state.profile()->length());
  const Event* event =
      find_event(*state.profile()->recording, {state.selection.track, state.selection.event});
  if (!event) return;
  const double at = static_cast<double>(event->begin - state.profile()->recording->begin());
  const double span = std::max(static_cast<double>(event->end - event->begin) * 12, 2000.0);
  set_window(state.settings, at - span / 2, at + span / 2, length);
}

void draw_timeline(AppState& state) {
  const Profile& profile = *state.profile();
  const double length = std::max(1.0, profile.length());
  legend(
      {{Tone::cpu, "CPU"},
       {Tone::gpu, "GPU"},
       {Tone::transfer, "transfer"},
       {Tone::launch, "launch"},
       {Tone::sync, "waiting"},
       {Tone::compile, "compile"}});
  sums_line(state, profile, length);
  if (profile.recording->tracks().empty()) {
    empty_message("No events.", "The recording holds none; run the program with profile=True.");
    return;
  }
  ImGui::BeginChild("timeline", {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
  const float wanted = lanes_height(*profile.recording) + memory_lane_height(state) + em(3);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const Canvas canvas("lanes", {room.x, std::max(room.y, wanted)});
  state.probe.mark("timeline", canvas.low, canvas.high);
  const TimeWindow window = window_of(state.settings, *profile.recording, canvas, length);
  ruler(canvas, window);
  range_shade(state, canvas, window);
  EventPlace hit;
  const float top = canvas.low.y + em(1.9F);
  const float used = draw_lanes(state, canvas, window, top, hit);
  draw_memory_lane(state, canvas, window, top + used + em(0.6F));
  arrows(state, canvas, window, top);
  if (hit) tooltip(state, profile, hit);
  move_by_mouse(state, canvas, window, length);
  drag_range(state, canvas, window, length);
  click(state, canvas, hit, length);
  keys(state, window, length);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
