// The observer's side of the recorder: what runs on the program's threads. A step costs one clock
// reading and one 32-byte store.

#include "profiler/record/recorder.h"

#include <functional>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/trace/clock.h"

#include "profiler/record/open_devices.h"
#include "profiler/record/recorder_state.h"

namespace hypatia {

namespace {

/// The producer that this thread used last, and whose it is.
struct ThreadCache {
  std::uint64_t recorder = 0;
  EventProducer* producer = nullptr;
};

thread_local ThreadCache thread_cache;

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

EventProducer& Recorder::State::producer() {
  if (thread_cache.recorder == serial) [[likely]]
    return *thread_cache.producer;
  const std::scoped_lock lock(mutex);
  EventProducer*& mine = producers[std::this_thread::get_id()];
  if (!mine) {
    const std::int64_t thread = syscall(SYS_gettid);
    const LaneRecord lane{
        LaneRecord::Kind::host_thread, "", static_cast<std::uint64_t>(thread), thread_name(thread)};
    mine = &queue.add_producer(static_cast<std::uint16_t>(lanes.add(lane)));
  }
  thread_cache = {serial, mine};
  return *mine;
}

bool Recorder::State::records(std::uint32_t call) const {
  return enabled.load(std::memory_order_relaxed) && !finished.load(std::memory_order_relaxed) &&
         (call == 0 || options.schedule.records(call));
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
  return state_->functions.add(function);
}

std::uint32_t Recorder::add_plan(const PlanRecord& plan) {
  const std::scoped_lock lock(state_->mutex);
  const std::uint32_t first = state_->next_step;
  state_->next_step += static_cast<std::uint32_t>(plan.steps.size());
  state_->plans.add(PlacedPlan{plan, first});
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

std::uint32_t Recorder::begin_call(std::uint32_t) {
  return state_->calls.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Recorder::end_call(std::uint32_t function, std::uint32_t call, std::int64_t begin) {
  if (!state_->records(call)) return;
  state_->push(Event{begin, now(), call, 0, function, 0, EventKind::call, 0});
}

void Recorder::begin_step(std::uint32_t call, std::uint32_t step) {
  if (DeviceTracer* tracer = state_->tracer.load(std::memory_order_relaxed)) {
    tracer->push(call, step);
  }
}

void Recorder::end_step(std::uint32_t call, std::uint32_t step, std::int64_t begin) {
  if (DeviceTracer* tracer = state_->tracer.load(std::memory_order_relaxed)) tracer->pop();
  if (!state_->records(call)) return;
  state_->push(Event{begin, now(), call, step, 0, 0, EventKind::step, 0});
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
  if (activity.step == 0) ++state.device_counts.unattributed;
  const std::string device = device_name(activity.device);
  const std::uint32_t detail = state.detail_for(activity.detail);
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
}

Annotation::~Annotation() {
  const CurrentStep& step = current_step();
  recorder_.on(Event{begin_, now(), step.call, step.step, detail_, 0, EventKind::user, 0});
}

}  // namespace hypatia
