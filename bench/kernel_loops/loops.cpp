#include "bench/kernel_loops/loops.h"

#include <cstring>
#include <utility>

#include "engine/device/cuda/module.h"

#include "bench/cuda_limits/raw.h"

namespace hypatia::kernel_loops {

namespace {

using limits::require;

constexpr const char* own_text = R"(
extern "C" __global__ void hypatia_busy(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
}
)";

std::vector<CUgraphNode> nodes_of(CUgraph graph) {
  std::size_t count = 0;
  require(graph_calls().nodes(graph, nullptr, &count), "counting a graph's nodes");
  std::vector<CUgraphNode> nodes(count);
  require(graph_calls().nodes(graph, nodes.data(), &count), "reading a graph's nodes");
  return nodes;
}

CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type{};
  require(graph_calls().type(node, &type), "reading a node's type");
  return type;
}

}  // namespace

Snapshot::~Snapshot() {
  for (const auto& [address, range] : ranges_)
    driver_.free(range.copy);
}

bool Snapshot::add_range(CUdeviceptr address, CUstream stream) {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  // Most words are numbers.
  if (graph_calls().range(&begin, &bytes, address) != CUDA_SUCCESS || bytes == 0) return true;
  if (ranges_.contains(begin)) return true;
  CUdeviceptr copy = 0;
  if (driver_.allocate(&copy, bytes) != CUDA_SUCCESS) return false;
  ranges_[begin] = {bytes, copy};
  require(driver_.copy(copy, begin, bytes, stream), "saving what kernels write");
  return true;
}

/// Any eight bytes that are an address count, also inside of structs.
bool Snapshot::add(const GraphKernel& kernel, CUstream stream) {
  if (!kernel.params.kernelParams) return false;
  std::size_t offset = 0, bytes = 0;
  for (std::size_t i = 0;
       graph_calls().parameter(kernel.function, i, &offset, &bytes) == CUDA_SUCCESS;
       ++i) {
    const auto* value = static_cast<const char*>(kernel.params.kernelParams[i]);
    for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= bytes; at += sizeof(CUdeviceptr)) {
      CUdeviceptr word = 0;
      std::memcpy(&word, value + at, sizeof word);
      if (word != 0 && !add_range(word, stream)) return false;
    }
  }
  return true;
}

void Snapshot::restore(CUstream stream) const {
  for (const auto& [address, range] : ranges_)
    require(driver_.copy(address, range.copy, range.bytes, stream), "putting memory back");
}

Loops::Loops(const Driver& driver, Device& device, Stamps* stamps)
    : driver_(driver),
      stamps_(stamps),
      own_kernels_(
          device.compile({Dialect::cuda_c, "kernel_loops", own_text, {"hypatia_busy"}, {}})),
      busy_(static_cast<const CudaKernel&>(own_kernels_->find("hypatia_busy")).function()) {
  require(driver_.create_stream(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  require(driver_.create_event(&begin_, CU_EVENT_DEFAULT), "making an event");
  require(driver_.create_event(&end_, CU_EVENT_DEFAULT), "making an event");
}

std::vector<GraphKernel> Loops::kernels_of(CUgraph graph) const {
  const GraphCalls& calls = graph_calls();
  std::vector<GraphKernel> kernels;
  for (CUgraphNode node : nodes_of(graph)) {
    if (type_of(node) != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    GraphKernel kernel;
    kernel.node = node;
    require(calls.kernel_node(node, &kernel.params), "reading a kernel's node");
    kernel.function = kernel.params.func;
    if (!kernel.function) {
      require(calls.function_of(&kernel.function, kernel.params.kern), "finding a function");
    }
    const char* name = nullptr;
    require(calls.name(&name, kernel.function), "reading a kernel's name");
    kernel.name = name;
    require(
        driver_.function_attribute(&kernel.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.function),
        "reading a kernel's registers");
    kernels.push_back(kernel);
  }
  return kernels;
}

std::size_t Loops::works_in(CUgraph graph) const {
  std::size_t works = 0;
  for (CUgraphNode node : nodes_of(graph)) {
    const CUgraphNodeType type = type_of(node);
    works += type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
             type == CU_GRAPH_NODE_TYPE_MEMSET;
  }
  return works;
}

CUgraph Loops::loop_of(const GraphKernel& kernel, int trips) const {
  const GraphCalls& calls = graph_calls();
  CUgraph graph = nullptr;
  require(calls.create(&graph, 0), "making a graph");
  CUgraphNode last = nullptr;
  for (int i = 0; i < trips; ++i) {
    CUgraphNode node = nullptr;
    require(calls.add_kernel(&node, graph, &last, last ? 1 : 0, &kernel.params), "adding a kernel");
    require(calls.copy_attributes(node, kernel.node), "copying attributes");
    last = node;
  }
  return graph;
}

CUgraph Loops::loop_of(std::span<const CUgraph> graphs, int trips) const {
  CUgraph graph = nullptr;
  require(graph_calls().create(&graph, 0), "making a graph");
  CUgraphNode last = nullptr;
  for (int i = 0; i < trips; ++i) {
    for (CUgraph child : graphs) {
      CUgraphNode node = nullptr;
      require(graph_calls().add_child(&node, graph, &last, last ? 1 : 0, child), "adding a step");
      last = node;
    }
  }
  return graph;
}

CUgraphExec Loops::ready(CUgraph graph) const {
  CUgraphExec loop = nullptr;
  require(driver_.instantiate(&loop, graph, 0), "making a loop ready");
  require(driver_.destroy_graph(graph), "destroying a graph");
  return loop;
}

/// For a millisecond or more, in which a loop and its events are submitted: a GPU that waits for
/// the host would be timed with the host.
void Loops::keep_busy(std::size_t works) const {
  long long cycles = 2'000'000 + 10'000 * static_cast<long long>(works);
  void* arguments[] = {&cycles};
  require(driver_.launch(busy_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "a launch");
}

double Loops::time(CUgraphExec loop, std::size_t works, const Snapshot& snapshot) {
  snapshot.restore(stream_);
  keep_busy(works);
  require(driver_.record_event(begin_, stream_), "recording an event");
  require(driver_.launch_graph(loop, stream_), "a loop");
  require(driver_.record_event(end_, stream_), "recording an event");
  require(driver_.synchronize_stream(stream_), "waiting for a loop");
  float milliseconds = 0;
  require(driver_.elapsed(&milliseconds, begin_, end_), "reading events");
  return static_cast<double>(milliseconds) * 1e6;
}

LoopResult Loops::run(const GraphKernel& kernel, const Snapshot& snapshot) {
  return run([&](int trips) { return loop_of(kernel, trips); }, {20, 220, 1}, snapshot);
}

LoopResult Loops::run(std::span<const CUgraph> graphs, const Snapshot& snapshot) {
  std::size_t works = 0;
  for (CUgraph graph : graphs)
    works += works_in(graph);
  return run([&](int trips) { return loop_of(graphs, trips); }, {5, 55, works}, snapshot);
}

std::vector<double> Loops::durations_apart(
    std::span<const CUgraph> graphs, const Snapshot& snapshot) {
  constexpr int trips = 100;
  std::size_t works = 0;
  for (CUgraph graph : graphs)
    works += works_in(graph);
  CUgraphExec one = ready(loop_of(graphs, 1));
  snapshot.restore(stream_);
  require(driver_.synchronize_stream(stream_), "putting memory back");
  stamps_->clear();
  for (int trip = 0; trip < trips; ++trip) {
    require(driver_.launch_graph(one, stream_), "a trip");
    require(driver_.synchronize_stream(stream_), "waiting for a trip");
  }
  std::vector<std::vector<Stamp>> loops;
  for (const std::vector<SeenWork>& seen : stamps_->take()) {
    if (seen.size() != works) continue;
    loops.emplace_back();
    for (const SeenWork& work : seen)
      loops.back().push_back(work.stamp);
  }
  require(driver_.destroy_instance(one), "destroying a trip");
  return stamped_times(loops, works).durations;
}

LoopResult Loops::run(const Maker& make, const Trips& trips, const Snapshot& snapshot) {
  CUgraphExec shorter = ready(make(trips.few)), longer = ready(make(trips.many));
  const auto time_both = [&] {
    const std::size_t works = trips.works * static_cast<std::size_t>(trips.many);
    return std::pair(time(shorter, works, snapshot), time(longer, works, snapshot));
  };
  static_cast<void>(time_both());
  if (stamps_) stamps_->clear();
  std::vector<double> short_times, long_times;
  for (int round = 0; round < rounds; ++round) {
    const auto [short_time, long_time] = time_both();
    short_times.push_back(short_time);
    long_times.push_back(long_time);
  }
  LoopResult result;
  result.period = period_of(long_times, short_times, trips.many - trips.few);
  if (stamps_) read_stamps(result, trips);
  require(driver_.destroy_instance(shorter), "destroying a loop");
  require(driver_.destroy_instance(longer), "destroying a loop");
  return result;
}

/// Of the longer loops.
void Loops::read_stamps(LoopResult& result, const Trips& trips) {
  std::vector<std::vector<Stamp>> loops;
  for (const std::vector<SeenWork>& seen : stamps_->take()) {
    if (seen.size() != trips.works * static_cast<std::size_t>(trips.many)) continue;
    if (loops.empty()) {
      result.works.assign(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(trips.works));
    }
    loops.emplace_back();
    for (const SeenWork& work : seen)
      loops.back().push_back(work.stamp);
  }
  result.stamps = stamped_times(loops, trips.works);
}

}  // namespace hypatia::kernel_loops
