// Kernels, products, queues and waits; copies are in copies.cpp, captures in capture.cpp.
#include "engine/device/sim/device.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unistd.h>

#include "engine/core/config.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/sim/build.h"
#include "engine/device/sim/capture.h"
#include "engine/device/sim/checker.h"
#include "engine/device/sim/execute.h"
#include "engine/device/sim/memory.h"
#include "engine/trace/clock.h"
#include "engine/trace/device_hooks.h"
#include "engine/trace/observer.h"

namespace hypatia::sim {

namespace {

/// The card's memory, or most of the host's if that is less.
/// gpuarray.preallocate is all that there is, where it is set.
std::size_t usable_bytes(const Sheet& sheet) {
  const double wanted = config().preallocate();
  const double share = std::min(wanted, 0.95) * static_cast<double>(sheet.limits.memory_bytes);
  if (wanted > 0) return static_cast<std::size_t>(wanted > 1 ? wanted * 1048576.0 : share);
  const std::size_t host_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(static_cast<std::size_t>(sheet.limits.memory_bytes), host_bytes / 4 * 3);
}

// Between arrays; what a wrong index overshoots by is mostly less than the larger one.
constexpr std::size_t fast_gap = 256, checked_gap = std::size_t{64} << 10;

DeviceInfo info_of(const Sheet& sheet, std::string name) {
  DeviceInfo info;
  info.name = std::move(name);
  info.model = sheet.card + " (simulated)";
  info.driver = "simulated: counts exact, time modelled from the sheet " + sheet.name;
  info.simulated = true;
  info.capability_major = sheet.capability_major;
  info.capability_minor = sheet.capability_minor;
  info.limits = sheet.limits;
  return info;
}

Shape shape_of(const Launch& launch) {
  Shape shape;
  for (std::size_t i = 0; i < 3; ++i) {
    shape.grid[i] = launch.grid[i];
    shape.block[i] = launch.block[i];
  }
  shape.shared_bytes = launch.shared_bytes;
  return shape;
}

}  // namespace

void SimQueue::synchronize() {
  device_.wait_for(*this);
}

void SimMarker::synchronize() {
  device_.wait_until(time_, 0);
}

double SimMarker::seconds_since(Marker& earlier) {
  synchronize();
  return static_cast<double>(time_ - static_cast<SimMarker&>(earlier).time()) * 1e-9;
}

SimDevice::SimDevice(Sheet sheet, std::string name, Place place, std::optional<Checking> checked)
    : Device(place),
      sheet_(std::move(sheet)),
      info_(info_of(sheet_, std::move(name))),
      arena_(usable_bytes(sheet_), checked ? checked_gap : fast_gap),
      timeline_(sheet_),
      checked_(checked) {
  default_queue_ = Ref<SimQueue>(new SimQueue(*this, queues_++));
}

SimDevice::~SimDevice() {
  for (auto& [room, storages] : free_pinned_) {
    for (PinnedStorage* storage : storages)
      delete storage;
  }
  for (SimStorage* storage : free_storages_)
    delete storage;
}

Ref<Module> SimDevice::compile(const KernelSource& source) {
  return Ref<Module>(new SimModule(source, checked_ ? Build::checked : Build::fast));
}

SimQueue& SimDevice::real(Queue* queue) {
  return queue ? static_cast<SimQueue&>(*queue) : *default_queue_;
}

Ref<Queue> SimDevice::make_queue() {
  const std::lock_guard lock(mutex_);
  return Ref<Queue>(new SimQueue(*this, queues_++));
}

Ref<Marker> SimDevice::record(Queue* queue) {
  const std::lock_guard lock(mutex_);
  return Ref<Marker>(new SimMarker(*this, std::max(real(queue).times.free_at, now())));
}

void SimDevice::wait(Queue* queue, Marker& marker) {
  const std::lock_guard lock(mutex_);
  QueueTimes& times = real(queue).times;
  times.free_at = std::max(times.free_at, static_cast<SimMarker&>(marker).time());
}

// All that is submitted goes through here: it happens now, and takes its modelled time; or it is
// captured.
void SimDevice::put(SimQueue& queue, Work work, const std::function<void()>& act) {
  if (queue.capture) return keep(*queue.capture, std::move(work), act);
  const std::int64_t begin = work.begin;
  land();
  act();
  const std::int64_t room = work.kind == EventKind::kernel ? queue.times.room_at() : 0;
  const std::int64_t submitted = std::max(begin, room) + nanoseconds(work.submit_seconds);
  const Slot slot = schedule(queue, work, submitted - nanoseconds(work.early_seconds), false);
  const std::int64_t landed =
      slot.end + nanoseconds(sheet_.limits.sync_latency + work.landing_seconds);
  const std::int64_t end = work.waits ? landed : submitted;
  if (work.target) work.target->written_at = slot.end;
  report(queue, work, slot, begin, end, false);
  set_now(end);
}

Slot SimDevice::schedule(SimQueue& queue, const Work& work, std::int64_t submitted, bool in_graph) {
  Slot slot;
  if (work.kind == EventKind::copy_in || work.kind == EventKind::copy_out) {
    const Engine engine = work.kind == EventKind::copy_in ? Engine::copy_in : Engine::copy_out;
    slot = timeline_.copy(queue.times, submitted, work.seconds, engine);
  } else {
    slot = timeline_.kernel(queue.times, submitted, work.seconds, work.share, in_graph);
  }
  busy_until_ = std::max(busy_until_, slot.end);
  return slot;
}

void SimDevice::report(
    const SimQueue& queue,
    const Work& work,
    Slot slot,
    std::int64_t submit_begin,
    std::int64_t submit_end,
    bool in_graph) const {
  const CurrentStep& step = current_step();
  if (!step.observer) return;
  Activity activity;
  activity.kind = work.kind;
  activity.begin = slot.begin;
  activity.end = slot.end;
  activity.submit_begin = submit_begin;
  activity.submit_end = submit_end;
  activity.device = static_cast<std::int16_t>(place().context);
  activity.stream = queue.number;
  activity.call = step.call + static_cast<std::uint32_t>(work.calls_later);
  activity.step = work.step ? work.step : step.step;
  activity.flags = event_flag::simulated;
  if (in_graph) activity.flags |= event_flag::in_graph;
  if (activity.step == 0) activity.owner = work_owner();
  activity.detail = work.detail;
  step.observer->on(activity);
}

void SimDevice::launch(
    const Kernel& kernel, const Launch& launch, void* const* args, Queue* queue) {
  Work work;
  work.begin = now();
  const std::lock_guard lock(mutex_);
  const auto& sim_kernel = static_cast<const SimKernel&>(kernel);
  check_launch(sim_kernel, launch);
  Launch known = launch;
  if (known.bytes == 0 && known.flops == 0) known.bytes = touched_bytes(sim_kernel, args);
  work.seconds = kernel_seconds(sheet_, known, sim_kernel.doubles);
  work.submit_seconds = sheet_.limits.launch_latency;
  work.share = occupied_share(sheet_, known);
  if (current_step().observer || real(queue).capture) {
    work.detail.name = kernel.name();
    for (std::size_t i = 0; i < 3; ++i) {
      work.detail.grid[i] = static_cast<std::int32_t>(launch.grid[i]);
      work.detail.block[i] = static_cast<std::int32_t>(launch.block[i]);
    }
    work.detail.dynamic_shared = static_cast<std::int32_t>(launch.shared_bytes);
  }
  SimQueue& on = real(queue);
  if (!on.capture) {
    return put(on, std::move(work), [&] { run_kernel(sim_kernel, launch, args); });
  }
  // The values are copied, as a captured CUDA launch copies them.
  std::vector<std::vector<char>> values;
  for (std::uint32_t i = 0; i < sim_kernel.entry.parameter_count; ++i) {
    const char* value = static_cast<const char*>(args[i]);
    values.emplace_back(value, value + sim_kernel.entry.parameters[i].bytes);
  }
  put(on, std::move(work), [this, &sim_kernel, launch, values]() mutable {
    std::vector<void*> addresses;
    for (std::vector<char>& value : values)
      addresses.push_back(value.data());
    run_kernel(sim_kernel, launch, addresses.data());
  });
}

void SimDevice::run_kernel(const SimKernel& kernel, const Launch& launch, void* const* args) {
  if (!check_arguments(kernel, args)) return;
  if (checked_ && (checked_->launches == 0 || kernel.looked_at < checked_->launches)) {
    ++kernel.looked_at;
    return check_kernel(kernel, launch, args);
  }
  const Fault fault = execute(kernel, shape_of(launch), args);
  if (checked_) note_skipped(kernel, launch, args);
  if (!fault) return;
  std::string where = "block " + std::to_string(fault.block);
  if (fault.thread >= 0) where = "thread " + std::to_string(fault.thread) + " of " + where;
  if (fault.line > 0) where += ", line " + std::to_string(fault.line);
  Error error(
      Error::Kind::device,
      "kernel " + kernel.name() + " failed on " + info_.name + " (simulated): " + fault.what +
          " (" + where + ")",
      "run the exercise's check with --race: the checked simulator names the line and the threads");
  if (fault.line > 0) {
    error.note(
        file_name(kernel.module.source()) + ":" + std::to_string(fault.line) + ": " +
        line_of(kernel.module.source().text, fault.line));
  }
  fail(std::move(error));
}

void SimDevice::check_kernel(const SimKernel& kernel, const Launch& launch, void* const* args) {
  const auto pinned = [](const void* device, const void* at) {
    return static_cast<const SimDevice*>(device)->pinned_at(at) != nullptr;
  };
  Checker checker({shadow_, arena_, pinned, this}, kernel, shape_of(launch), args);
  SimReport report = checker.run(checked_->order);
  if (!report.problems.empty()) {
    const SimProblem& first = report.problems.front();
    Error error(
        Error::Kind::device,
        "kernel " + kernel.name() + ": " + first.tag + ": " + first.text,
        "checked on " + info_.name + " (simulated): every access was looked at");
    const KernelSource& source = kernel.module.source();
    for (const std::int32_t line : std::set<std::int32_t>{first.other_line, first.line}) {
      if (line <= 0) continue;
      error.note(
          file_name(source) + ":" + std::to_string(line) + ": " + line_of(source.text, line));
    }
    if (report.problems.size() > 1)
      error.note("and " + std::to_string(report.problems.size() - 1) + " more");
    fail(std::move(error));
  }
  keep_report(std::move(report));
}

void SimDevice::note_skipped(const SimKernel& kernel, const Launch& launch, void* const* args) {
  for (std::uint32_t i = 0; i < kernel.entry.parameter_count; ++i) {
    if (!kernel.entry.parameters[i].is_pointer) continue;
    const Arena::Piece piece = arena_.find(*static_cast<char* const*>(args[i]));
    if (piece.begin) shadow_.set_written(piece.begin, piece.bytes, true);
  }
  SimReport report = empty_report(kernel, shape_of(launch));
  report.launches = 0;
  report.skipped = 1;
  keep_report(std::move(report));
}

void SimDevice::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
}

void SimDevice::multiply(const MatrixProduct& product, Queue* queue) {
  Work work;
  work.begin = now();
  const std::lock_guard lock(mutex_);
  work.seconds = product_seconds(sheet_, product);
  work.submit_seconds = sheet_.product_submit;
  work.detail.name = product.n == 1 || product.m == 1 ? "gemv" : "gemm";
  put(real(queue), std::move(work), [this, product] {
    hypatia::multiply(product);
    if (!checked_) return;
    const std::size_t size = static_cast<std::size_t>(size_of(product.dtype));
    const bool rows = product.c_column == 1;
    const std::int64_t pieces = rows ? 1 : product.n;  // of a row
    for (std::int64_t b = 0; b < product.batches; ++b) {
      for (std::int64_t i = 0; i < product.m; ++i) {
        for (std::int64_t j = 0; j < pieces; ++j) {
          const std::int64_t at = b * product.c_batch + i * product.c_row + j * product.c_column;
          char* c = static_cast<char*>(product.c) + at * static_cast<std::int64_t>(size);
          shadow_.set_written(c, rows ? size * static_cast<std::size_t>(product.n) : size, true);
        }
      }
    }
  });
}

void SimDevice::wait_until(std::int64_t done, std::uint32_t queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  land();
  // Asking costs a little even where nothing is left to wait for.
  const std::int64_t asked = begin + nanoseconds(sheet_.limits.sync_latency / 5);
  const std::int64_t end = std::max(asked, done + nanoseconds(sheet_.limits.sync_latency));
  const CurrentStep& step = current_step();
  if (step.observer) {
    Activity activity;
    activity.kind = EventKind::sync;
    activity.begin = begin;
    activity.end = end;
    activity.device = static_cast<std::int16_t>(place().context);
    activity.stream = queue;
    activity.call = step.call;
    activity.step = step.step;
    activity.flags = event_flag::simulated;
    step.observer->on(activity);
  }
  set_now(end);
  if (!failure_) return;
  const Error error = *std::exchange(failure_, std::nullopt);
  throw error;
}

void SimDevice::wait_for(SimQueue& queue) {
  const std::lock_guard lock(mutex_);
  wait_until(queue.times.free_at, queue.number);
}

void SimDevice::wait_for_all() {
  const std::lock_guard lock(mutex_);
  wait_until(busy_until_, 0);
}

void SimDevice::synchronize() {
  wait_for_all();
}

}  // namespace hypatia::sim
