// The writer's side of the recorder: one thread of low priority that every 100 ms moves what waits
// into the file. A failing disk ends the recording, never the run.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/trace/clock.h"
#include "engine/trace/device_hooks.h"

#include "profiler/record/environment.h"
#include "profiler/record/open_devices.h"
#include "profiler/record/recorder_state.h"

namespace hypatia {

namespace {

std::atomic<std::uint64_t> next_serial{1};
std::atomic<int> under_way{0};

/// Nanoseconds to stamp and store one event, as a run of 4000 measures it.
double measure_event_cost() {
  EventQueue scratch(EventChunk::capacity);
  EventProducer& producer = scratch.add_producer(1);
  constexpr int rounds = 4000;
  // On a thread of its own, since reading a modelled clock moves it.
  double cost = 0;
  std::thread([&] {
    const std::int64_t begin = now();
    for (int i = 0; i < rounds; ++i) {
      producer.push(Event{begin, now(), 0, 0, 0, 1, EventKind::step, 0});
    }
    cost = static_cast<double>(now() - begin) / rounds;
  }).join();
  return cost;
}

/// Gives what a device tracer found to the recorder whose writer asked.
class StateSink final : public DeviceSink {
 public:
  explicit StateSink(Recorder::State& state) : state_(state) {}

  std::uint16_t lane(LaneRecord::Kind kind, const std::string& device, std::uint64_t id) override {
    return state_.lane_for({kind, device, id}, lane_name(kind, device, id));
  }

  std::uint32_t detail(const DetailRecord& detail) override { return state_.detail_for(detail); }

  void event(const Event& event) override {
    if (state_.wants(event.call)) state_.batch.push_back(event);
  }

  void message(const std::string& text) override { state_.note(text); }

  DeviceCounts& counts() override { return state_.device_counts; }

 private:
  Recorder::State& state_;
};

}  // namespace

Recorder::State::State(const std::string& path_, RecorderOptions options_)
    : path(path_),
      options(options_),
      serial(next_serial++),
      every_call(options_.schedule.records_all()),
      queue(options_.most_waiting_events),
      header(describe_environment()),
      file(std::make_unique<RecordingFile>(path_)) {
  header.event_cost = measure_event_cost();
  write_round(false);
  writer = std::thread([this] {
    name_this_thread("hypatia record");
    write_loop();
  });
  ++under_way;
}

Recorder::State::~State() = default;

int recordings_under_way() {
  return under_way;
}

bool Recorder::State::forked() const {
  return started_in != getpid();
}

void Recorder::State::write_loop() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10);
  std::unique_lock lock(writer_mutex);
  while (!stopping) {
    wake.wait_for(lock, std::chrono::milliseconds(100), [&] {
      return stopping || rounds_wanted != rounds_done;
    });
    if (stopping) break;
    const std::uint64_t wanted = rounds_wanted;
    lock.unlock();
    write_round(false);
    lock.lock();
    rounds_done = wanted;
    written.notify_all();
  }
}

void Recorder::State::write_round(bool last) {
  const std::int64_t before = thread_cpu_time();
  batch.clear();
  // Events first: whatever they name was registered before they were pushed.
  queue.drain(batch);
  if (DeviceTracer* devices = tracer.load()) {
    StateSink sink(*this);
    tell_steps(*devices);
    devices->collect(sink, last);
  }
  if (broken) return;
  try {
    write_batch(last);
    writer_time += thread_cpu_time() - before;
  } catch (const Error& error) {
    broken = true;
    finished = true;
    note(std::string(error.summary()) + ". The recording ends there; the program runs on.");
  }
}

/// Steps that this round drained, by the thread of their lane.
void Recorder::State::tell_steps(DeviceTracer& devices) {
  std::vector<std::uint64_t> threads{0};
  {
    const std::scoped_lock lock(mutex);
    for (const LaneRecord& lane : lanes.records)
      threads.push_back(lane.id);
  }
  for (const Event& event : batch) {
    if (event.kind == EventKind::step) devices.add_step(threads[event.lane], event);
  }
}

/// Records, then events in transactions of 2 MB: on a full disk, what fitted stays.
void Recorder::State::write_batch(bool last) {
  constexpr std::size_t portion = 1 << 16;
  file->begin();
  const bool news = write_records();
  if (news || !batch.empty()) {
    refresh_header(false);
    file->write(header_copy());
  }
  file->commit();
  for (std::size_t first = 0; first < batch.size(); first += portion) {
    file->begin();
    file->add_events(std::span(batch).subspan(first, std::min(portion, batch.size() - first)));
    file->commit();
  }
  file->begin();
  const std::uint32_t latest = calls.load();
  if (options.last_calls && latest > options.last_calls) {
    file->forget_calls_before(latest - options.last_calls + 1);
  }
  if (last) {
    refresh_header(true);
    file->write(header_copy());
  }
  file->commit();
}

bool Recorder::State::write_records() {
  std::vector<const FunctionRecord*> new_functions;
  std::vector<const PlacedPlan*> new_plans;
  std::vector<const LaneRecord*> new_lanes;
  std::vector<const DetailRecord*> new_details;
  std::vector<const PassStory*> new_passes;
  std::size_t function_id = 0, plan_id = 0, lane_id = 0, detail_id = 0, pass_id = 0;
  {
    const std::scoped_lock lock(mutex);
    function_id = functions.written;
    plan_id = plans.written;
    lane_id = lanes.written;
    detail_id = details.written;
    pass_id = passes.written;
    new_functions = functions.fresh();
    new_plans = plans.fresh();
    new_lanes = lanes.fresh();
    new_details = details.fresh();
    new_passes = passes.fresh();
  }
  const auto next = [](std::size_t& id) { return static_cast<std::uint32_t>(++id); };
  for (const FunctionRecord* function : new_functions) {
    file->add_function(next(function_id), *function);
  }
  for (const PlacedPlan* placed : new_plans) {
    file->add_plan(next(plan_id), placed->first_step, placed->plan);
  }
  for (const LaneRecord* lane : new_lanes)
    file->add_lane(next(lane_id), *lane);
  for (const DetailRecord* detail : new_details)
    file->add_detail(next(detail_id), *detail);
  for (const PassStory* pass : new_passes)
    file->add_pass(next(pass_id), *pass);
  return !new_functions.empty() || !new_plans.empty() || !new_lanes.empty() || !new_details.empty();
}

void Recorder::State::refresh_header(bool last) {
  std::vector<DeviceInfo> devices = roofs.apply(devices_in_use());
  for (const std::string& complaint : roofs.take_complaints())
    note(complaint);
  const std::scoped_lock lock(mutex);
  header.devices = std::move(devices);
  for (const DeviceInfo& device : header.devices)
    header.simulated |= device.simulated;
  header.dropped = queue.dropped() + device_counts.lost;
  header.without_time = device_counts.without_time;
  header.unordered = device_counts.unordered;
  header.unattributed = device_counts.unattributed;
  header.disagreements = device_counts.disagreements;
  header.clock_error = device_counts.clock_error;
  header.call_count = calls;
  header.writer_seconds = static_cast<double>(writer_time.load()) * 1e-9;
  header.closed = last;
}

RecordingHeader Recorder::State::header_copy() const {
  const std::scoped_lock lock(mutex);
  return header;
}

void Recorder::State::note(const std::string& message) {
  const std::scoped_lock lock(mutex);
  for (const std::string& known : header.messages) {
    if (known == message) return;
  }
  header.messages.push_back(message);
}

void Recorder::State::attach_tracer() {
  if (tracer.load()) return;
  std::string reason;
  if (DeviceTracer* devices = start_device_tracer(reason)) {
    tracer = devices;
  } else {
    note(reason);
  }
}

void Recorder::flush() {
  State& state = *state_;
  std::unique_lock lock(state.writer_mutex);
  if (state.stopping) return;
  // The round in progress may have drained before this call: the one after it counts.
  const std::uint64_t wanted = ++state.rounds_wanted;
  state.wake.notify_all();
  state.written.wait(lock, [&] { return state.stopping || state.rounds_done >= wanted; });
}

void Recorder::finish() noexcept {
  State& state = *state_;
  if (state.forked()) {
    state.finished = true;
    return;
  }
  {
    const std::scoped_lock lock(state.writer_mutex);
    if (state.stopping) return;
    state.stopping = true;
    state.wake.notify_all();
    state.written.notify_all();
  }
  state.writer.join();
  --under_way;
  try {
    if (state.tracer.load()) wait_for_devices();
  } catch (const std::exception& error) {
    state.note(std::string("the device's last work failed: ") + error.what());
  }
  state.write_round(true);
  state.finished = true;
  state.tracer = nullptr;
  if (!state.broken) state.file->close();
  state.file.reset();
}

}  // namespace hypatia
