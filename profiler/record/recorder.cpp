// The observer's side of the recorder: what runs on the program's threads. A step costs one clock
// reading and one 32-byte store.

#include "profiler/record/recorder.h"

#include <algorithm>
#include <functional>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/trace/clock.h"

#include "profiler/record/open_devices.h"
#include "profiler/record/recorder_state.h"

namespace hypatia {

namespace {

std::string thread_name(std::int64_t id) {
  return id == getpid() ? "main thread" : "thread " + std::to_string(id);
}

}  // namespace

bool Schedule::records(std::uint32_t call) const {
  const std::uint64_t cycle = std::uint64_t{wait} + warm_up + active;
  if (cycle == 0) return true;
  const std::uint64_t position = call - std::uint64_t{1};
  if (repeat && position / cycle >= repeat) return false;
  return position % cycle >= std::uint64_t{wait} + warm_up;
}

std::size_t DetailHash::operator()(const DetailRecord& detail) const {
  std::size_t hash = std::hash<std::string>()(detail.name);
  const auto mix = [&](auto value) {
    hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15u;
  };
  mix(detail.bytes);
  for (const std::int32_t size : detail.grid)
    mix(size);
  for (const std::int32_t size : detail.block)
    mix(size);
  return hash ^ (hash >> 29);
}

Recorder::Recorder(const std::string& path, RecorderOptions options)
    : state_(std::make_unique<State>(path, options)) {}

Recorder::~Recorder() {
  finish();
  if (state_->forked()) static_cast<void>(state_.release());
}

void Recorder::stop() {
  state_->enabled = false;
}

void Recorder::start() {
  state_->enabled = true;
}

const std::string& Recorder::path() const {
  return state_->path;
}

bool Recorder::wants_split() const {
  return state_->options.split;
}

void Recorder::set_slowdown(double ratio) {
  const std::scoped_lock lock(state_->mutex);
  state_->header.slowdown = ratio;
}

std::vector<std::string> Recorder::messages() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->header.messages;
}

EventProducer& Recorder::State::add_producer() {
  const std::scoped_lock lock(mutex);
  EventProducer*& mine = producers[std::this_thread::get_id()];
  if (!mine) {
    const std::int64_t thread = syscall(SYS_gettid);
    const LaneRecord lane{
        LaneRecord::Kind::host_thread, "", static_cast<std::uint64_t>(thread), thread_name(thread)};
    mine = &queue.add_producer(static_cast<std::uint16_t>(lanes.add(lane)));
    if (ranges.listened()) name_thread(lane.id, lane.name);
  }
  thread_producer = {serial, mine};
  return *mine;
}

bool Recorder::State::is_in_window(std::uint32_t call) const {
  if (call == 0) return true;
  if (!options.schedule.records(call)) return false;
  if (call > last_ignored.load(std::memory_order_relaxed)) return true;
  const std::scoped_lock lock(mutex);
  return !ignored.contains(call);
}

void Recorder::State::note_first_call(std::uint32_t function, std::uint32_t call) {
  const std::scoped_lock lock(mutex);
  if (!called.insert(function).second) return;
  ignored.insert(call);
  last_ignored = std::max(last_ignored.load(), call);
}

void Recorder::State::push(Event event) {
  EventProducer& mine = producer();
  if (event.lane == 0) event.lane = mine.lane();
  mine.push(event);
}

std::uint16_t Recorder::State::lane_for(const LaneKey& key, const std::string& name) {
  const std::scoped_lock lock(mutex);
  std::uint16_t& id = lane_ids[key];
  if (id == 0) {
    id = static_cast<std::uint16_t>(lanes.add(LaneRecord{key.kind, key.device, key.id, name}));
  }
  return id;
}

std::uint32_t Recorder::State::detail_for(const DetailRecord& detail) {
  const std::scoped_lock lock(mutex);
  std::uint32_t& id = detail_ids[detail];
  if (id == 0) id = details.add(detail);
  return id;
}

std::uint32_t Recorder::add_function(const FunctionRecord& function) {
  if (state_->options.devices && function.device.starts_with("cuda")) state_->attach_tracer();
  const std::scoped_lock lock(state_->mutex);
  if (state_->ranges.listened()) state_->ranges.add_function(function);
  return state_->functions.add(function);
}

std::uint32_t Recorder::add_plan(const PlanRecord& plan) {
  const std::scoped_lock lock(state_->mutex);
  const std::uint32_t first = state_->next_step;
  state_->next_step += static_cast<std::uint32_t>(plan.steps.size());
  state_->plans.add(PlacedPlan{plan, first});
  if (state_->ranges.listened()) {
    state_->ranges.add_plan(plan, state_->functions.records[plan.function - 1]);
  }
  return first;
}

std::uint16_t Recorder::add_lane(const LaneRecord& lane) {
  return state_->lane_for({lane.kind, lane.device, lane.id}, lane.name);
}

std::uint32_t Recorder::add_detail(const DetailRecord& detail) {
  return state_->detail_for(detail);
}

void Recorder::add_passes(std::span<const PassStory> passes) {
  const std::scoped_lock lock(state_->mutex);
  for (const PassStory& pass : passes)
    state_->passes.add(pass);
}

std::uint32_t Recorder::begin_call(std::uint32_t function) {
  if (state_->ranges.listened()) state_->ranges.begin_call(function);
  const std::uint32_t call = state_->calls.fetch_add(1, std::memory_order_relaxed) + 1;
  if (state_->options.ignore_first_calls) state_->note_first_call(function, call);
  return call;
}

void Recorder::end_call(std::uint32_t function, std::uint32_t call, std::int64_t begin) {
  if (state_->ranges.listened()) state_->ranges.end();
  if (!state_->records(call)) return;
  state_->push(Event{begin, now(), call, 0, function, 0, EventKind::call, 0});
}

void Recorder::begin_step(std::uint32_t call, std::uint32_t step) {
  if (DeviceTracer* tracer = state_->tracer.load(std::memory_order_relaxed)) {
    tracer->push(call, step);
  }
  if (state_->ranges.listened()) state_->ranges.begin_step(step);
}

void Recorder::end_step(std::uint32_t call, std::uint32_t step, std::int64_t begin) {
  if (DeviceTracer* tracer = state_->tracer.load(std::memory_order_relaxed)) tracer->pop();
  if (state_->ranges.listened()) state_->ranges.end();
  if (!state_->records(call)) return;
  // Field by field where it stays: a copy of an event just made waits for its own stores.
  EventProducer& mine = state_->producer();
  Event* place = mine.next();
  if (!place) return;
  place->begin = begin;
  place->end = now();
  place->call = call;
  place->step = step;
  place->detail = 0;
  place->lane = mine.lane();
  place->kind = EventKind::step;
  place->flags = 0;
  mine.publish();
}

/// A run that shall be measured piece by piece is submitted piece by piece.
bool Recorder::follows_replays() const {
  const DeviceTracer* tracer = state_->tracer.load();
  return tracer && tracer->follows_graphs() && !state_->options.split;
}

void Recorder::begin_captured(std::uint32_t call, std::uint32_t step) {
  if (DeviceTracer* tracer = state_->tracer.load()) tracer->push_captured(call, step);
  if (state_->ranges.listened()) state_->ranges.begin_captured(step);
}

void Recorder::end_captured() {
  if (DeviceTracer* tracer = state_->tracer.load()) tracer->pop_captured();
  if (state_->ranges.listened()) state_->ranges.end();
}

void Recorder::on(const Event& event) {
  if (state_->records(event.call)) state_->push(event);
}

namespace {

LaneRecord::Kind lane_kind(EventKind kind) {
  switch (kind) {
    case EventKind::copy_in:
      return LaneRecord::Kind::copy_in;
    case EventKind::copy_out:
      return LaneRecord::Kind::copy_out;
    case EventKind::sync:
      return LaneRecord::Kind::sync;
    case EventKind::overhead:
      return LaneRecord::Kind::overhead;
    default:
      return LaneRecord::Kind::stream;
  }
}

}  // namespace

DetailRecord owned_detail(DetailRecord detail, const std::string& owner) {
  detail.name += " of " + owner;
  return detail;
}

std::string lane_name(LaneRecord::Kind kind, const std::string& device, std::uint64_t id) {
  switch (kind) {
    case LaneRecord::Kind::api:
      return id ? "driver calls, " + thread_name(static_cast<std::int64_t>(id))
                : device + " driver calls";
    case LaneRecord::Kind::stream:
      return device + " stream " + std::to_string(id);
    case LaneRecord::Kind::copy_in:
      return device + " copies in";
    case LaneRecord::Kind::copy_out:
      return device + " copies out";
    case LaneRecord::Kind::sync:
      return device + " waits";
    case LaneRecord::Kind::overhead:
      return device + " profiling overhead";
    case LaneRecord::Kind::host_thread:
      break;
  }
  return thread_name(static_cast<std::int64_t>(id));
}

void Recorder::on(const Activity& activity) {
  State& state = *state_;
  if (!state.records(activity.call)) return;
  if (activity.begin == 0 && activity.end == 0) {
    ++state.device_counts.without_time;
    return;
  }
  const bool owned = !activity.owner.empty();
  if (activity.step == 0 && !owned) ++state.device_counts.unattributed;
  const std::string device = device_name(activity.device);
  const std::uint32_t detail =
      state.detail_for(owned ? owned_detail(activity.detail, activity.owner) : activity.detail);
  const auto lane = [&](LaneRecord::Kind kind) {
    const std::uint64_t id = kind == LaneRecord::Kind::stream ? activity.stream : 0;
    return state.lane_for({kind, device, id}, lane_name(kind, device, id));
  };
  if (activity.submit_end > activity.submit_begin) {
    if (activity.begin < activity.submit_begin) ++state.device_counts.unordered;
    state.push(
        {activity.submit_begin,
         activity.submit_end,
         activity.call,
         activity.step,
         detail,
         lane(LaneRecord::Kind::api),
         EventKind::launch,
         activity.flags});
  }
  state.push(
      {activity.begin,
       activity.end,
       activity.call,
       activity.step,
       detail,
       lane(lane_kind(activity.kind)),
       activity.kind,
       activity.flags});
}

Annotation::Annotation(Recorder& recorder, std::string_view name)
    : recorder_(recorder), detail_(0), begin_(0) {
  DetailRecord detail;
  detail.name = name;
  detail_ = recorder.add_detail(detail);
  begin_ = now();
  ToolRanges& ranges = recorder.state_->ranges;
  if (ranges.listened()) ranges.begin_note(detail.name);
}

Annotation::~Annotation() {
  if (recorder_.state_->ranges.listened()) recorder_.state_->ranges.end();
  const CurrentStep& step = current_step();
  recorder_.on(Event{begin_, now(), step.call, step.step, detail_, 0, EventKind::user, 0});
}

}  // namespace hypatia
