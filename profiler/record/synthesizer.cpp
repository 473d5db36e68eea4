// The walk over a table of steps, and the header and nodes that synthetic recordings share.

#include "profiler/record/synthesizer.h"

#include <algorithm>
#include <utility>

namespace hypatia {

namespace {

constexpr std::int64_t launch_time = 2'900;
constexpr std::int64_t submit_delay = 1'800;

}  // namespace

Synthesizer::Synthesizer(const SyntheticOptions& options) : options_(options) {
  lane(LaneRecord::Kind::host_thread, "", 4242, "main thread");
  if (options.device == "cpu") return;
  lane(LaneRecord::Kind::api, options.device, 4242, "CUDA API, main thread");
  lane(LaneRecord::Kind::stream, options.device, 7, options.device + " stream 7");
  lane(LaneRecord::Kind::copy_in, options.device, 0, options.device + " copies in");
  lane(LaneRecord::Kind::copy_out, options.device, 0, options.device + " copies out");
  lane(LaneRecord::Kind::sync, options.device, 0, options.device + " waits");
}

void Synthesizer::plan(std::uint32_t function, std::string dims, std::vector<Work> works) {
  PlanRecord record;
  record.function = function;
  record.dims = std::move(dims);
  for (const Work& work : works) {
    const bool copy = work.kind == EventKind::copy_in || work.kind == EventKind::copy_out;
    StepRecord step;
    step.name = work.name;
    step.side = !work.device ? Side::cpu : copy ? Side::transfer : Side::gpu;
    step.nodes = work.nodes;
    step.flops = work.flops;
    step.bytes = work.bytes;
    step.shapes = work.shapes;
    if (!copy) {
      step.source = static_cast<std::int32_t>(record.sources.size());
      record.sources.push_back(
          (work.device ? "extern \"C\" __global__ void " : "void ") + work.name +
          "(const float* x, float* out, long n) {\n  // a synthetic recording has no kernel "
          "text\n}\n");
    }
    buffer(record, work);
    details_.push_back(work.device ? detail(work) : 0);
    record.steps.push_back(std::move(step));
  }
  data.plans.push_back(std::move(record));
  works_.push_back(std::move(works));
  first_step_.push_back(next_step_);
  next_step_ += static_cast<std::uint32_t>(works_.back().size());
}

void Synthesizer::call(std::size_t plan, std::int64_t gap) {
  host_ += gap;
  const std::int64_t begin = host_;
  ++calls_;
  host_ += 700;
  for (std::size_t i = 0; i < works_[plan].size(); ++i) {
    run(works_[plan][i], first_step_[plan] + static_cast<std::uint32_t>(i));
  }
  host_ += 400;
  add({begin, host_, calls_, 0, data.plans[plan].function, 1, EventKind::call, 0});
  data.header.call_count = calls_;
}

void Synthesizer::compile(std::int64_t nanoseconds, std::string what) {
  DetailRecord record;
  record.name = std::move(what);
  data.details.push_back(record);
  const auto id = static_cast<std::uint32_t>(data.details.size());
  add({host_, host_ + nanoseconds, 0, 0, id, 1, EventKind::compile, 0});
  host_ += nanoseconds;
}

void Synthesizer::lane(
    LaneRecord::Kind kind, std::string device, std::uint64_t id, std::string name) {
  data.lanes.push_back({kind, std::move(device), id, std::move(name)});
}

void Synthesizer::buffer(PlanRecord& record, const Work& work) const {
  const auto at = static_cast<std::int32_t>(record.steps.size());
  BufferRecord made;
  made.node = work.nodes.back().node;
  made.bytes = static_cast<std::int64_t>(work.bytes / 2);
  made.first_step = at;
  made.last_step = at + 2;
  made.slot = at % 3;
  made.kind = work.name.find("inplace") != std::string::npos ? 'i' : 'c';
  made.on_device = work.device != 0 && work.kind != EventKind::copy_out;
  record.buffers.push_back(made);
}

std::uint32_t Synthesizer::detail(const Work& work) {
  DetailRecord record;
  record.name = work.name;
  if (work.kind == EventKind::kernel) {
    record.grid[0] = 264;
    record.grid[1] = record.grid[2] = 1;
    record.block[0] = 256;
    record.block[1] = record.block[2] = 1;
    record.registers = 24;
  } else {
    record.bytes = static_cast<std::int64_t>(work.bytes / 2);
    record.source_memory = work.kind == EventKind::copy_in ? 1 : 3;
    record.target_memory = work.kind == EventKind::copy_in ? 3 : 2;
  }
  data.details.push_back(record);
  return static_cast<std::uint32_t>(data.details.size());
}

/// The time with its variation, from a generator of our own so that runs repeat.
std::int64_t Synthesizer::vary(std::int64_t time) {
  random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
  const double unit = static_cast<double>(random_ >> 40) / static_cast<double>(1 << 24);
  const double spread = 1 + (unit - 0.5) * 2 * options_.jitter / 100.0;
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(time) * spread / options_.speed));
}

void Synthesizer::run(const Work& work, std::uint32_t step) {
  const std::int64_t begin = host_;
  const std::int64_t host = vary(work.host);
  if (!work.device) {
    host_ += host;
    add({begin, host_, calls_, step, 0, 1, EventKind::step, 0});
    return;
  }
  const std::uint32_t detail = details_[step - 1];
  const std::int64_t api = begin + host / 4;
  const std::int64_t api_end = std::min(api + vary(launch_time), begin + host);
  add({api, api_end, calls_, step, detail, 2, EventKind::launch, 0});
  const std::uint16_t lane = work.kind == EventKind::copy_in    ? 4
                             : work.kind == EventKind::copy_out ? 5
                                                                : 3;
  const std::int64_t start = std::max(device_, api + submit_delay);
  device_ = start + vary(work.device);
  add({start, device_, calls_, step, detail, lane, work.kind, 0});
  host_ = begin + host;
  if (work.waits) {
    const std::int64_t until = std::max(host_, device_) + 900;
    add({host_, until, calls_, step, 0, 6, EventKind::sync, 0});
    host_ = until;
  }
  add({begin, host_, calls_, step, 0, 1, EventKind::step, 0});
}

void fill_header(RecordingHeader& header, const SyntheticOptions& options) {
  header.suite_version = "0.1.0";
  header.command_line = header.program;
  header.role = options.role;
  header.machine = "synthetic";
  header.processor = "a processor of 4 cores";
  header.cores = 4;
  header.flags = "device=" + options.device + ",floatX=float32";
  header.started = "2026-01-01T00:00:00Z";
  header.monotonic_anchor = 1'000'000'000;
  header.realtime_anchor = 1'767'225'600'000'000'000;
  header.event_cost = 60;
  header.closed = true;
  DeviceInfo cpu;
  cpu.name = "cpu";
  cpu.model = header.processor;
  cpu.limits.f32_flops = 2.6e11;
  cpu.limits.f64_flops = 1.3e11;
  cpu.limits.memory_bandwidth = 4e10;
  cpu.limits.cache_bandwidth = 2e11;
  header.devices.push_back(cpu);
  if (options.device == "cpu") return;
  DeviceInfo gpu;
  gpu.name = options.device;
  gpu.model = "NVIDIA H100 80GB HBM3";
  gpu.driver = "CUDA 13.0, driver 580.95";
  gpu.capability_major = 9;
  gpu.limits.f32_flops = 6.7e13;
  gpu.limits.f64_flops = 3.35e13;
  gpu.limits.memory_bandwidth = 3.35e12;
  gpu.limits.copy_in_bandwidth = gpu.limits.copy_out_bandwidth = 5.5e10;
  gpu.limits.pageable_bandwidth = 1.2e10;
  gpu.limits.launch_latency = 2.9e-6;
  gpu.limits.memory_bytes = std::int64_t{80} << 30;
  gpu.limits.multiprocessors = 132;
  gpu.limits.max_threads_per_multiprocessor = 2048;
  header.devices.push_back(gpu);
}

NodeRecord synthetic_node(
    std::string name,
    std::string op,
    Side side,
    std::initializer_list<Reads> inputs,
    std::string type,
    Origin origin) {
  NodeRecord record;
  record.op_class = name.substr(0, name.find_first_of("{("));
  record.name = std::move(name);
  record.op = std::move(op);
  record.side = side;
  for (const Reads& read : inputs)
    record.inputs.push_back({read.node, 0, read.name, read.type});
  record.output_types.push_back(std::move(type));
  record.origin = origin;
  return record;
}

FunctionRecord synthetic_function(std::string name, const SyntheticOptions& options, Origin at) {
  FunctionRecord record;
  record.name = std::move(name);
  record.device = options.device;
  record.origin = at;
  record.grad_seconds = 0.0011;
  record.rewrite_seconds = 0.0042;
  record.codegen_seconds = 0.0013;
  record.compile_seconds = options.device == "cpu" ? 0.021 : 0.085;
  return record;
}

}  // namespace hypatia
