// The last stage of accounting: steps are shared out to nodes, nodes add up to functions, and work
// over time is compared with the device's ceilings.

#include "profiler/analyze/account.h"

#include <algorithm>
#include <future>

#include "profiler/analyze/steps.h"
#include "profiler/analyze/wall.h"

namespace hypatia {

namespace {

const DeviceInfo* device_named(const Recording& recording, const std::string& name) {
  for (const DeviceInfo& device : recording.header().devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

bool is_double(const NodeRecord& node) {
  return std::any_of(
      node.output_types.begin(), node.output_types.end(), [](const std::string& type) {
        return type.find("float64") != std::string::npos;
      });
}

double share_of(double rate, double ceiling) {
  return ceiling > 0 ? rate / ceiling : 0;
}

/// Work that is faster than the memory had its data in a cache.
double bandwidth_above(const Limits& limits, double rate) {
  const bool cached = limits.memory_bandwidth > 0 && rate > limits.memory_bandwidth;
  return cached && limits.cache_bandwidth > 0 ? limits.cache_bandwidth : limits.memory_bandwidth;
}

/// Rates over the time of the work itself: on the device where it ran there, else on the host.
void fill_rate(const Recording& recording, const NodeRecord& node, NodeAccount& account) {
  Rate& rate = account.rate;
  const Parts& parts = account.parts;
  const bool link = node.side == Side::transfer;
  const double time = link ? parts.transfer() : parts.gpu() > 0 ? parts.gpu() : parts[Part::own];
  if (time <= 0 || account.calls == 0) return;
  const auto calls = static_cast<double>(account.calls);
  rate.gflops = rate.flops * calls / time;
  rate.gigabytes = rate.bytes * calls / time;
  const FunctionRecord* owner = recording.function(account.id.function);
  const DeviceInfo* device =
      device_named(recording, parts.gpu() + parts.transfer() > 0 ? owner->device : "cpu");
  if (!device) return;
  const Limits& limits = device->limits;
  if (link) {
    const bool in = parts[Part::copy_in] > parts[Part::copy_out];
    rate.roof =
        share_of(rate.gigabytes * 1e9, in ? limits.copy_in_bandwidth : limits.copy_out_bandwidth);
    return;
  }
  const double compute =
      share_of(rate.gflops * 1e9, is_double(node) ? limits.f64_flops : limits.f32_flops);
  const double moved = rate.gigabytes * 1e9;
  const double memory = share_of(moved, bandwidth_above(limits, moved));
  rate.memory_bound = memory >= compute;
  rate.roof = std::max(memory, compute);
}

/// Copies count the bytes that crossed the link; plans count bytes read and written.
double bytes_per_call(
    const Recording& recording, const RecordedStep& step, const StepAccount& account) {
  const DetailRecord* detail = recording.detail(account.detail);
  if (step.record->side == Side::transfer && detail && detail->bytes > 0) {
    return static_cast<double>(detail->bytes);
  }
  return step.record->bytes;
}

void share_out(const Recording& recording, const RecordedStep& step, Account& account) {
  FunctionAccount& owner = account.functions[step.function - 1];
  const StepAccount& spent = account.steps[step.id - 1];
  owner.launches += spent.launches;
  owner.step_time += spent.parts[Part::own] + spent.parts[Part::launch] + spent.parts[Part::sync] +
                     spent.parts[Part::compile];
  if (spent.calls == 0) return;
  double sum = 0;
  for (const StepShare& share : step.record->nodes)
    sum += std::max(0.0, share.share);
  if (sum <= 0) {
    owner.other.add(spent.parts);
    return;
  }
  const double bytes = bytes_per_call(recording, step, spent);
  for (const StepShare& part : step.record->nodes) {
    const double share = std::max(0.0, part.share) / sum;
    NodeAccount& node = owner.nodes[part.node];
    const auto before = static_cast<double>(node.calls), more = static_cast<double>(spent.calls);
    const double weight = node.calls ? more / (before + more) : 1;
    node.parts.add(spent.parts, share);
    node.wall.add(spent.wall, share);
    node.calls += spent.calls;
    node.median += weight * (spent.median * share - node.median);
    node.p90 += weight * (spent.p90 * share - node.p90);
    node.rate.flops += weight * (step.record->flops * share - node.rate.flops);
    node.rate.bytes += weight * (bytes * share - node.rate.bytes);
    node.approximate |= step.record->nodes.size() > 1;
    node.step = step.id;
  }
}

void add_calls(const Recording& recording, Account& account) {
  std::vector<std::vector<double>> times(account.functions.size());
  for (const Call& call : recording.calls()) {
    if (!call.function) continue;
    times[call.function - 1].push_back(static_cast<double>(call.end - call.begin));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    FunctionAccount& function = account.functions[i];
    function.calls = static_cast<std::int64_t>(times[i].size());
    for (const double time : times[i])
      function.call_time += time;
    if (!times[i].empty()) function.first_call = times[i].front();
    function.median = quantile(times[i], 0.5);
    function.p90 = quantile(std::move(times[i]), 0.9);
  }
}

/// Work on a device, and launches of whole graphs, that are no step's.
void add_loose_work(const Recording& recording, Account& account) {
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.events()) {
      const Wall wall = wall_of(event.kind);
      if (event.kind == EventKind::compile) {
        const std::uint32_t function = recording.function_of(event);
        if (!function) continue;
        account.functions[function - 1].compile_time +=
            static_cast<double>(event.end - event.begin);
      }
      const bool work = wall == Wall::kernel || wall == Wall::transfer || wall == Wall::launch;
      if (event.step || !work) continue;
      const Part part = event.kind == EventKind::copy_in    ? Part::copy_in
                        : event.kind == EventKind::copy_out ? Part::copy_out
                        : event.kind == EventKind::copy_on  ? Part::copy_on
                        : event.kind == EventKind::launch   ? Part::launch
                                                            : Part::kernel;
      const std::uint32_t function = recording.function_of(event);
      Parts& owner = function ? account.functions[function - 1].other : account.outside;
      owner[part] += static_cast<double>(event.end - event.begin);
    }
  }
}

}  // namespace

Account account_for(const Recording& recording) {
  Account account;
  // Two walks over all events that need nothing of each other.
  auto sweep = std::async(
      recording.event_count() > (1 << 18) ? std::launch::async : std::launch::deferred,
      [&] { return credit_wall(recording); });
  account.steps = account_steps(recording);
  const WallCredits credits = sweep.get();
  account.wall = credits.outside;
  for (std::size_t i = 0; i < recording.functions().size(); ++i) {
    FunctionAccount& function = account.functions.emplace_back();
    function.id = static_cast<std::uint32_t>(i + 1);
    function.wall = credits.functions[i];
    function.nodes.resize(recording.functions()[i].nodes.size());
    for (std::size_t k = 0; k < function.nodes.size(); ++k) {
      function.nodes[k].id = {function.id, static_cast<std::uint32_t>(k)};
    }
  }
  for (const RecordedStep& step : recording.steps()) {
    StepAccount& spent = account.steps[step.id - 1];
    spent.wall = credits.steps[step.id - 1];
    if (!step.function) {
      account.wall.add(spent.wall);
      account.outside.add(spent.parts);
      continue;
    }
    account.functions[step.function - 1].wall.add(spent.wall);
    share_out(recording, step, account);
  }
  add_calls(recording, account);
  add_loose_work(recording, account);
  for (FunctionAccount& function : account.functions) {
    account.wall.add(function.wall);
    function.parts = function.other;
    const FunctionRecord& record = recording.functions()[function.id - 1];
    for (NodeAccount& node : function.nodes) {
      function.parts.add(node.parts);
      fill_rate(recording, record.nodes[node.id.node], node);
    }
  }
  return account;
}

}  // namespace hypatia
