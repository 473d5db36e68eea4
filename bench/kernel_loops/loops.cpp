#include "bench/kernel_loops/loops.h"

#include <cstring>

#include "engine/device/cuda/module.h"

#include "bench/cuda_limits/raw.h"

namespace hypatia::kernel_loops {

namespace {

using limits::require;

constexpr const char* own_text = R"(
extern "C" __global__ void hypatia_empty() {}

extern "C" __global__ void hypatia_busy(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
}
)";

CUfunction entry(Module& module, const char* name) {
  return static_cast<const CudaKernel&>(module.find(name)).function();
}

std::array<unsigned, 7> sizes_of(const CUDA_KERNEL_NODE_PARAMS& p) {
  return {
      p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes};
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
      own_kernels_(device.compile(
          {Dialect::cuda_c, "kernel_loops", own_text, {"hypatia_empty", "hypatia_busy"}, {}})),
      empty_(entry(*own_kernels_, "hypatia_empty")),
      busy_(entry(*own_kernels_, "hypatia_busy")) {
  require(driver_.create_stream(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  require(driver_.create_event(&begin_, CU_EVENT_DEFAULT), "making an event");
  require(driver_.create_event(&end_, CU_EVENT_DEFAULT), "making an event");
}

std::vector<GraphKernel> Loops::kernels_of(CUgraph graph) const {
  const GraphCalls& calls = graph_calls();
  std::size_t count = 0;
  require(calls.nodes(graph, nullptr, &count), "counting a graph's nodes");
  std::vector<CUgraphNode> nodes(count);
  require(calls.nodes(graph, nodes.data(), &count), "reading a graph's nodes");
  std::vector<GraphKernel> kernels;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    require(calls.type(node, &type), "reading a node's type");
    if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
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

CUgraphExec Loops::loop_of(const GraphKernel& kernel, int launches) const {
  const GraphCalls& calls = graph_calls();
  CUgraph graph = nullptr;
  require(calls.create(&graph, 0), "making a graph");
  CUgraphNode last = nullptr;
  for (int i = 0; i < launches; ++i) {
    CUgraphNode node = nullptr;
    require(calls.add_kernel(&node, graph, &last, last ? 1 : 0, &kernel.params), "adding a kernel");
    if (kernel.node) require(calls.copy_attributes(node, kernel.node), "copying attributes");
    last = node;
  }
  CUgraphExec loop = nullptr;
  require(driver_.instantiate(&loop, graph, 0), "making a loop ready");
  require(driver_.destroy_graph(graph), "destroying a graph");
  return loop;
}

/// About a millisecond, in which a loop and its events are submitted: a GPU that waits for the host
/// would be timed with the host.
void Loops::keep_busy() const {
  long long cycles = 2'000'000;
  void* arguments[] = {&cycles};
  require(driver_.launch(busy_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "a launch");
}

double Loops::time(CUgraphExec loop, const Snapshot& snapshot) {
  snapshot.restore(stream_);
  keep_busy();
  require(driver_.record_event(begin_, stream_), "recording an event");
  require(driver_.launch_graph(loop, stream_), "a loop");
  require(driver_.record_event(end_, stream_), "recording an event");
  require(driver_.synchronize_stream(stream_), "waiting for a loop");
  float milliseconds = 0;
  require(driver_.elapsed(&milliseconds, begin_, end_), "reading events");
  return static_cast<double>(milliseconds) * 1e6;
}

LoopResult Loops::run(const GraphKernel& kernel, const Snapshot& snapshot) {
  CUgraphExec shorter = loop_of(kernel, few), longer = loop_of(kernel, many);
  for (CUgraphExec loop : {shorter, longer})
    static_cast<void>(time(loop, snapshot));
  if (stamps_) stamps_->clear();
  std::vector<double> short_times, long_times;
  for (int round = 0; round < rounds; ++round) {
    short_times.push_back(time(shorter, snapshot));
    long_times.push_back(time(longer, snapshot));
  }
  LoopResult result;
  result.period = period_of(long_times, short_times, many - few);
  if (stamps_) {
    std::vector<std::vector<Stamp>> loops = stamps_->take(kernel.name);
    std::erase_if(loops, [](const std::vector<Stamp>& loop) { return loop.size() != many; });
    result.stamps = stamped_times(loops);
  }
  snapshot.restore(stream_);
  require(driver_.synchronize_stream(stream_), "putting memory back");
  require(driver_.destroy_instance(shorter), "destroying a loop");
  require(driver_.destroy_instance(longer), "destroying a loop");
  return result;
}

LoopResult Loops::run_empty_twin(const GraphKernel& kernel) {
  const auto [known, is_new] = twins_.try_emplace(sizes_of(kernel.params));
  if (!is_new) return known->second;
  GraphKernel twin;
  twin.params = kernel.params;
  twin.params.func = twin.function = empty_;
  twin.params.kern = nullptr;
  twin.params.kernelParams = twin.params.extra = nullptr;
  twin.name = "hypatia_empty";
  const auto shared = static_cast<int>(kernel.params.sharedMemBytes);
  require(
      driver_.set_function_attribute(
          empty_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared),
      "allowing shared memory");
  known->second = run(twin, Snapshot(driver_));
  return known->second;
}

}  // namespace hypatia::kernel_loops
