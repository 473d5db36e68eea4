// Rules about work on a GPU: too little of it, too small pieces, the wrong type.

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "profiler/analyze/advice_rules.h"

namespace hypatia {

namespace {

/// Steps that ran kernels, with their function's device.
template <typename Visit>
void for_each_kernel(const AdviceCase& in, Visit visit) {
  for (const RecordedStep& step : in.recording.steps()) {
    const StepAccount& spent = in.account.steps[step.id - 1];
    if (!step.function || spent.parts[Part::kernel] <= 0 || step.record->nodes.empty()) continue;
    visit(step, spent);
  }
}

NodeId first_node(const RecordedStep& step) {
  return {step.function, step.record->nodes[0].node};
}

double mean_kernel(const StepAccount& spent) {
  const auto count = static_cast<double>(std::max<std::int64_t>(1, spent.device_events));
  return spent.parts[Part::kernel] / count;
}

void launch_bound(const AdviceCase& in) {
  double kernels = 0, launches = 0;
  std::int64_t short_ones = 0, all = 0;
  std::vector<NodeId> nodes;
  for_each_kernel(in, [&](const RecordedStep& step, const StepAccount& spent) {
    if (!spent.launches) return;
    kernels += spent.parts[Part::kernel];
    launches += spent.parts[Part::launch] + spent.parts[Part::own];
    all += spent.launches;
    const double launch = spent.parts[Part::launch] / static_cast<double>(spent.launches);
    if (mean_kernel(spent) >= launch) return;
    short_ones += spent.launches;
    nodes.push_back(first_node(step));
  });
  if (!all || 2 * short_ones < all || launches < 0.1 * in.length()) return;
  Advice advice;
  advice.rule = "launch-bound";
  advice.title = "Kernels are shorter than it takes to launch them";
  advice.evidence = std::to_string(short_ones) + " of " + std::to_string(all) +
                    " kernels ran shorter than their launch; submitting took " +
                    advice_time(launches) + ", running " + advice_time(kernels) + ".";
  advice.fix =
      "Give each call more data, or let the whole function replay as one CUDA graph: call "
      "it with the same sizes, or fn(n_calls=N).";
  advice.lesson = "03_logistic_regression";
  advice.gain = std::max(0.0, launches - kernels);
  advice.confidence = 0.8;
  advice.nodes = std::move(nodes);
  in.list.push_back(std::move(advice));
}

void small_grid(const AdviceCase& in) {
  for_each_kernel(in, [&](const RecordedStep& step, const StepAccount& spent) {
    const DetailRecord* detail = in.recording.detail(spent.detail);
    const DeviceInfo* gpu = in.device(in.recording.function(step.function)->device);
    if (!detail || !gpu || gpu->limits.multiprocessors <= 0) return;
    const double blocks = static_cast<double>(detail->grid[0]) * std::max(1, detail->grid[1]) *
                          std::max(1, detail->grid[2]);
    const double full = blocks / gpu->limits.multiprocessors;
    if (blocks < 1 || full >= 1) return;
    Advice advice;
    advice.rule = "small-grid";
    advice.title = step.record->name + " uses a part of the device only";
    const auto count = static_cast<long>(blocks);
    advice.evidence = "It has " + std::to_string(count) +
                      (count == 1 ? " block for " : " blocks for ") +
                      std::to_string(gpu->limits.multiprocessors) + " multiprocessors.";
    advice.fix = "Larger arrays fill the device; below that, the CPU may be as fast.";
    advice.lesson = "06_raw_kernels";
    advice.gain = spent.parts[Part::kernel] * (1 - full);
    advice.confidence = 0.5;
    advice.nodes = {first_node(step)};
    in.list.push_back(std::move(advice));
  });
}

/// Warps that fit on a multiprocessor by registers, shared memory and threads, over those it has.
struct Occupancy {
  double share = 1;
  const char* limiter = "";
};

Occupancy occupancy_of(const DetailRecord& kernel, const Limits& limits) {
  constexpr std::int32_t registers = 65536;  // of a multiprocessor, on every card since 2014
  constexpr std::int32_t most_blocks = 32;
  const std::int32_t threads =
      kernel.block[0] * std::max(1, kernel.block[1]) * std::max(1, kernel.block[2]);
  if (threads <= 0 || limits.max_threads_per_multiprocessor <= 0) return {};
  const std::int32_t by_threads = limits.max_threads_per_multiprocessor / threads;
  const std::int32_t by_registers =
      kernel.registers > 0 ? registers / (kernel.registers * threads) : most_blocks;
  const std::int64_t shared = std::int64_t{kernel.static_shared} + kernel.dynamic_shared;
  const std::int64_t available =
      limits.shared_per_block > 0 ? limits.shared_per_block : std::int64_t{48} << 10;
  const std::int32_t by_shared =
      shared > 0 ? static_cast<std::int32_t>(available / shared) : most_blocks;
  const std::int32_t blocks = std::min({by_threads, by_registers, by_shared, most_blocks});
  const double share =
      static_cast<double>(blocks) * threads / limits.max_threads_per_multiprocessor;
  return {
      share,
      blocks == by_registers ? "registers"
      : blocks == by_shared  ? "shared memory"
                             : "the size of its blocks"};
}

void low_occupancy(const AdviceCase& in) {
  for_each_kernel(in, [&](const RecordedStep& step, const StepAccount& spent) {
    const DetailRecord* detail = in.recording.detail(spent.detail);
    const DeviceInfo* gpu = in.device(in.recording.function(step.function)->device);
    if (!detail || !gpu || detail->block[0] <= 0) return;
    const Occupancy occupancy = occupancy_of(*detail, gpu->limits);
    if (occupancy.share >= 0.25 || spent.parts[Part::kernel] < 0.1 * in.length()) return;
    Advice advice;
    advice.rule = "low-occupancy";
    advice.title = "Few threads of " + step.record->name + " fit on a multiprocessor";
    advice.evidence = "Occupancy is " + advice_percent(occupancy.share, 1) + ", limited by " +
                      occupancy.limiter + " (" + std::to_string(detail->registers) +
                      " registers a thread, " +
                      std::to_string(detail->static_shared + detail->dynamic_shared) +
                      " bytes of shared memory a block).";
    advice.fix = "Use fewer of them per thread, or other block sizes.";
    advice.lesson = "06_raw_kernels";
    advice.gain = spent.parts[Part::kernel] * 0.3;
    advice.confidence = 0.4;
    advice.nodes = {first_node(step)};
    in.list.push_back(std::move(advice));
  });
}

bool elementwise(const NodeRecord& node) {
  return node.op_class == "Elemwise" || node.op_class == "GpuElemwise";
}

/// The steps that ran, by node.
std::map<NodeId, const RecordedStep*> steps_by_node(const AdviceCase& in) {
  std::map<NodeId, const RecordedStep*> steps;
  for (const RecordedStep& step : in.recording.steps()) {
    if (!step.function || !in.account.steps[step.id - 1].calls) continue;
    for (const StepShare& share : step.record->nodes)
      steps[{step.function, share.node}] = &step;
  }
  return steps;
}

/// True if another node reads what `source` made and makes what `user` needs: those two can't be
/// one kernel.
bool needed_between(const FunctionRecord& function, std::uint32_t source, std::uint32_t user) {
  std::vector<bool> seen(function.nodes.size(), false);
  std::vector<std::uint32_t> waiting{user};
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    for (const InputRecord& input : function.nodes[node].inputs) {
      // Nodes are in execution order: none before the source reads it.
      if (input.node < static_cast<std::int32_t>(source)) continue;
      const auto maker = static_cast<std::uint32_t>(input.node);
      if (maker == source && node != user) return true;
      if (maker == source || seen[maker]) continue;
      seen[maker] = true;
      waiting.push_back(maker);
    }
  }
  return false;
}

/// Functions of which a kernel runs several elementwise nodes: fusion is on there, and left apart
/// what it could not put together.
std::set<std::uint32_t> functions_that_fuse(const AdviceCase& in) {
  std::set<std::uint32_t> functions;
  for (const RecordedStep& step : in.recording.steps()) {
    if (!step.function) continue;
    const FunctionRecord& function = *in.recording.function(step.function);
    const auto count = std::count_if(
        step.record->nodes.begin(), step.record->nodes.end(), [&](const StepShare& share) {
          return elementwise(function.nodes[share.node]);
        });
    if (count > 1) functions.insert(step.function);
  }
  return functions;
}

/// Two elementwise nodes in steps of their own, one reading the other, of one shape, with nothing
/// that has to run between them.
void unfused_chain(const AdviceCase& in) {
  const std::map<NodeId, const RecordedStep*> steps = steps_by_node(in);
  const std::set<std::uint32_t> fusing = functions_that_fuse(in);
  std::map<std::uint32_t, Advice> by_function;
  in.for_each_node([&](const auto& function,
                       const auto& record,
                       const NodeAccount& node,
                       const NodeRecord& what) {
    if (!elementwise(what) || fusing.contains(function.id)) return;
    for (const InputRecord& input : what.inputs) {
      if (input.node < 0) continue;
      const NodeId source{function.id, static_cast<std::uint32_t>(input.node)};
      const NodeRecord& first = record.nodes[source.node];
      if (!elementwise(first) || first.output_types != what.output_types) continue;
      const auto here = steps.find(node.id), there = steps.find(source);
      if (here == steps.end() || there == steps.end() || here->second == there->second) continue;
      if (needed_between(record, source.node, node.id.node)) continue;
      Advice& advice = by_function[function.id];
      if (!advice.nodes.empty() && advice.nodes.back() == node.id) continue;
      advice.nodes.push_back(node.id);
      advice.gain += node.parts.total() / 2;
    }
  });
  for (auto& [function, advice] : by_function) {
    advice.rule = "unfused-chain";
    advice.title =
        "Elementwise nodes run one by one in " + in.recording.functions()[function - 1].name;
    const std::size_t count = advice.nodes.size();
    advice.evidence = std::to_string(count) + (count == 1 ? " node reads" : " nodes read") +
                      " what another elementwise node just wrote.";
    advice.fix =
        "Fusion seems to be off (optimizer_excluding=fusion, FAST_COMPILE or profile.split); turn "
        "it on.";
    advice.confidence = 0.6;
    in.list.push_back(std::move(advice));
  }
}

void double_on_gpu(const AdviceCase& in) {
  double time = 0;
  std::vector<NodeId> nodes;
  in.for_each_node([&](const auto&, const auto&, const NodeAccount& node, const NodeRecord& what) {
    const bool wide = std::any_of(
        what.output_types.begin(), what.output_types.end(), [](const std::string& type) {
          return type.find("float64") != std::string::npos;
        });
    if (what.side != Side::gpu || !wide) return;
    time += node.parts.gpu();
    nodes.push_back(node.id);
  });
  if (nodes.empty()) return;
  Advice advice;
  advice.rule = "float64-on-gpu";
  advice.title = "The GPU computes in float64";
  advice.evidence = std::to_string(nodes.size()) + (nodes.size() == 1 ? " node" : " nodes") +
                    " with float64 results ran on the GPU for " + advice_time(time) + ".";
  advice.fix =
      "Set floatX=float32 and make the data float32; integers beside float32 also make "
      "float64.";
  advice.lesson = "03_logistic_regression";
  advice.gain = time / 2;
  advice.confidence = 0.8;
  advice.nodes = std::move(nodes);
  in.list.push_back(std::move(advice));
}

/// One piece of advice for all of them: they are mended in the same way.
void slow_product(const AdviceCase& in) {
  std::vector<const NodeAccount*> slow;
  in.for_each_node([&](const auto&, const auto&, const NodeAccount& node, const NodeRecord& what) {
    const bool product = what.op == "gemm" || what.op == "dot" || what.op == "dot22";
    if (product && node.rate.roof > 0 && node.rate.roof < 0.3) slow.push_back(&node);
  });
  if (slow.empty()) return;
  const auto gain = [](const NodeAccount* node) {
    return node->parts.total() * (1 - node->rate.roof / 0.3);
  };
  std::stable_sort(slow.begin(), slow.end(), [&](const NodeAccount* a, const NodeAccount* b) {
    return gain(a) > gain(b);
  });
  constexpr std::size_t most_named = 3;
  Advice advice;
  advice.rule = "slow-product";
  advice.title = slow.size() == 1 ? in.recording.node(slow[0]->id)->name + " runs"
                                  : std::string("Matrix products run");
  advice.title += " far below what the device can do";
  for (const NodeAccount* node : slow) {
    advice.gain += gain(node);
    advice.nodes.push_back(node->id);
    if (advice.nodes.size() > most_named) continue;
    advice.evidence += (advice.evidence.empty() ? "" : ", ") + in.recording.node(node->id)->name +
                       " " + std::to_string(node->id.node) + " of " +
                       in.recording.function(node->id.function)->name + " reaches " +
                       advice_percent(node->rate.roof, 1) + " of the roof (" +
                       std::to_string(static_cast<long>(node->rate.gflops)) + " GFLOP/s)";
  }
  const std::size_t more = slow.size() - std::min(slow.size(), most_named);
  advice.evidence += more ? ", and " + std::to_string(more) + " more are alike." : ".";
  advice.fix =
      "Products of small or odd sizes are slow: work on larger batches, in multiples of 16.";
  advice.lesson = "10_mlp";
  advice.confidence = 0.5;
  in.list.push_back(std::move(advice));
}

constexpr std::array<AdviceRule, 6> all_kernel_rules{
    launch_bound, small_grid, low_occupancy, unfused_chain, double_on_gpu, slow_product};

}  // namespace

std::span<const AdviceRule> kernel_rules() {
  return all_kernel_rules;
}

}  // namespace hypatia
