#include "bench/cuda_limits/cupti_ways.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <hypatia/hypatia.h>
#include <memory>
#include <mutex>
#include <unistd.h>

#include "engine/device/device.h"
#include "engine/run/observed_step.h"

#include "bench/cuda_limits/raw.h"
#include "profiler/cupti/kinds.h"
#include "profiler/record/device_tracer.h"
#include "profiler/record/recorder.h"
#include "profiler/record/recording.h"

namespace hypatia::limits {

namespace {

// Fewer than the driver's queue takes, so that submitting never waits for the GPU.
constexpr int batch = 1000;
constexpr int warm_batches = 10, batches = 50;
constexpr int elements = 230'400;

using Clock = std::chrono::steady_clock;

template <typename Launch, typename Wait>
LaunchTimes time_batches(Launch&& launch, const Wait& wait) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  LaunchTimes times;
  for (int i = 0; i < warm_batches + batches; ++i) {
    const auto begin = Clock::now();
    for (int j = 0; j < batch; ++j)
      launch();
    const auto submitted = Clock::now();
    wait();
    const auto done = Clock::now();
    times.launches += batch;
    if (i < warm_batches) continue;
    times.submitted.push_back(Microseconds(submitted - begin).count() / batch);
    times.done.push_back(Microseconds(done - begin).count() / batch);
  }
  return times;
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

/// The exp kernel on arrays of its own.
class ExpLaunch {
 public:
  ExpLaunch()
      : kernel_(raw_.function("exp_float")),
        y_(raw_.device_floats(elements)),
        x_(raw_.device_floats(elements)) {}

  void operator()() {
    int n = elements;
    std::array<void*, 3> arguments{&y_, &x_, &n};
    raw_.launch(kernel_, elements / 256, 256, 1, arguments.data());
  }

  void wait() const { raw_.synchronize(); }

 private:
  Raw raw_;
  CUfunction kernel_;
  CUdeviceptr y_, x_;
};

LaunchTimes launch_raw() {
  ExpLaunch launch;
  return time_batches(launch, [&] { launch.wait(); });
}

/// Buffers that come back full are counted and handed out again.
struct BareBuffers {
  static constexpr std::size_t size = std::size_t{1} << 20;

  std::mutex mutex;
  std::vector<std::uint8_t*> free;
  std::int64_t bytes = 0;

  BareBuffers() {
    for (int i = 0; i < 8; ++i)
      free.push_back(new_buffer());
  }

  static std::uint8_t* new_buffer() { return static_cast<std::uint8_t*>(std::malloc(size)); }

  static void requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most);
  static void completed(
      void*, std::uint32_t, std::uint8_t* buffer, std::size_t bytes, std::size_t valid);
};

// Never destroyed: CUPTI's thread may outlive main's objects.
BareBuffers& bare_buffers() {
  static BareBuffers& instance = *new BareBuffers;
  return instance;
}

void BareBuffers::requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  BareBuffers& all = bare_buffers();
  const std::scoped_lock lock(all.mutex);
  if (all.free.empty()) all.free.push_back(new_buffer());
  *buffer = all.free.back();
  all.free.pop_back();
  *bytes = size;
  *most = 0;
}

void BareBuffers::completed(
    void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  BareBuffers& all = bare_buffers();
  const std::scoped_lock lock(all.mutex);
  all.bytes += static_cast<std::int64_t>(valid);
  all.free.push_back(buffer);
}

void ignore_callback(void*, std::uint32_t, std::uint32_t, const void*) {}

/// Subscribed before the context exists, as the profiler does.
std::unique_ptr<cupti::Api> bare_probe() {
  std::string reason;
  std::unique_ptr<cupti::Api> api = cupti::load(reason);
  if (!api) stop(reason);
  const auto must = [&](int code) {
    if (code != cupti::result::success) stop(cupti::explain(*api, code));
  };
  void* subscriber = nullptr;
  must(api->subscribe(&subscriber, ignore_callback, nullptr));
  must(api->register_callbacks(BareBuffers::requested, BareBuffers::completed));
  for (const cupti::Kind kind : cupti::traced_kinds)
    must(api->enable(kind));
  return api;
}

LaunchTimes launch_under_bare_probe() {
  const std::unique_ptr<cupti::Api> api = bare_probe();
  ExpLaunch launch;
  std::uint64_t id = 0;
  const auto traced = [&] {
    api->push_external(cupti::external_kind, ++id);
    launch();
    std::uint64_t last = 0;
    api->pop_external(cupti::external_kind, &last);
  };
  LaunchTimes times = time_batches(traced, [&] { launch.wait(); });
  api->flush_all(1);
  const std::scoped_lock lock(bare_buffers().mutex);
  times.bytes = bare_buffers().bytes;
  return times;
}

std::string scratch_recording() {
  const std::string name = "hypatia-cupti-cost-" + std::to_string(getpid()) + ".hyp";
  return std::filesystem::temp_directory_path() / name;
}

/// Kernels in the finished recording, which is removed.
std::int64_t recorded_kernels(Recorder& recorder) {
  recorder.finish();
  for (const std::string& message : recorder.messages())
    std::fprintf(stderr, "%s\n", message.c_str());
  const std::shared_ptr<const Recording> recording = Recording::open(recorder.path());
  std::int64_t kernels = 0;
  for (const Track& track : recording->tracks()) {
    for (const Event& event : track.events())
      kernels += event.kind == EventKind::kernel;
  }
  std::filesystem::remove(recorder.path());
  return kernels;
}

/// A function of one node and one step, registered as the engine registers its own.
std::uint32_t register_step(Recorder& recorder, std::uint32_t& function) {
  FunctionRecord record;
  record.name = "exp";
  record.device = "cuda0";
  record.nodes.resize(1);
  record.nodes[0].name = "GpuElemwise{exp,no_inplace}";
  record.nodes[0].side = Side::gpu;
  function = recorder.add_function(record);
  PlanRecord plan;
  plan.function = function;
  plan.steps.resize(1);
  plan.steps[0].name = "exp_float";
  plan.steps[0].side = Side::gpu;
  plan.steps[0].nodes = {{0, 1}};
  return recorder.add_plan(plan);
}

/// The plain launch again, reported as the executor reports a step.
LaunchTimes launch_under_recorder() {
  Recorder recorder(scratch_recording());
  prepare_device_tracer();
  ExpLaunch launch;
  std::uint32_t function = 0;
  const std::uint32_t step = register_step(recorder, function);
  const std::int64_t begin = now();
  const std::uint32_t call = recorder.begin_call(function);
  const auto traced = [&] {
    const ObservedStep observed(&recorder, call, step, false);
    launch();
  };
  LaunchTimes times = time_batches(traced, [&] { launch.wait(); });
  recorder.end_call(function, call, begin);
  times.kernels = recorded_kernels(recorder);
  return times;
}

LaunchTimes call_engine(Recorder* recorder) {
  config().set("device", "cuda");
  config().set("force_device", true);
  config().float_x(DType::float32);
  Array values(DType::float32, {elements});
  for (int i = 0; i < elements; ++i)
    values.data<float>()[i] = static_cast<float>(i % 10007) / 10007.0F;
  const Shared x = shared(values, "x");
  FunctionOptions options;
  options.name = "exp";
  options.observer = recorder;
  const Function f = function({}, transfer(exp(x), Place{0}), options);
  Results last;
  const auto wait = [&] {
    last.sync();
    synchronize_all();
  };
  return time_batches([&] { last = f(); }, wait);
}

LaunchTimes call_unobserved() {
  return call_engine(nullptr);
}

LaunchTimes call_under_recorder() {
  Recorder recorder(scratch_recording());
  LaunchTimes times = call_engine(&recorder);
  times.kernels = recorded_kernels(recorder);
  return times;
}

constexpr std::array<Way, 5> ways{{
    {"raw", "a plain launch, no tracing", "", launch_raw},
    {"bare", "a plain launch under a bare CUPTI probe", "raw", launch_under_bare_probe},
    {"recorder", "a plain launch under the recorder", "bare", launch_under_recorder},
    {"engine", "the engine's call, profiling off", "raw", call_unobserved},
    {"profiled", "the engine's call, profiling on", "engine", call_under_recorder},
}};

}  // namespace

std::span<const Way> cupti_ways() {
  return ways;
}

}  // namespace hypatia::limits
