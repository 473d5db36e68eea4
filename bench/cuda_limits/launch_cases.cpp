// What the driver's calls cost by themselves.
#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

namespace {

void add_each(Raw& raw, std::vector<Case>& cases, const char* name, std::function<void()> work) {
  cases.push_back({
      name,
      1000,
      [work = std::move(work), &raw](int repeats) {
        for (int i = 0; i < repeats; ++i)
          work();
        raw.synchronize();
      },
  });
}

void add_updates(Raw& raw, std::vector<Case>& cases) {
  CUfunction spin = raw.function("spin");
  auto* cycles = new long long(0);
  CUgraph graph = nullptr;
  CUgraphExec instance = nullptr;
  CUgraphNode node = nullptr;
  std::array<void*, 1> args{cycles};
  const Driver* d = raw.driver;
  require(d->begin_capture(raw.stream, CU_STREAM_CAPTURE_MODE_RELAXED), "begin capture");
  raw.launch(spin, 1, 32, 1, args.data());
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  const CUgraphNode* last = nullptr;
  std::size_t count = 0;
  require(d->capture_info(raw.stream, &status, &id, nullptr, &last, &count), "capture");
  node = last[0];
  require(d->end_capture(raw.stream, &graph), "end capture");
  require(d->instantiate(&instance, graph, 0), "instantiate");
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = spin;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = 32;
  params.blockDimY = params.blockDimZ = 1;
  const auto update = [=] {
    CUDA_KERNEL_NODE_PARAMS now = params;
    std::array<void*, 1> values{cycles};
    now.kernelParams = values.data();
    require(d->set_kernel_node(instance, node, &now), "update");
  };
  add_each(raw, cases, "update of one graph node's arguments", update);
  add_each(raw, cases, "graph of 1 empty kernel, arguments updated each time", [=, &raw] {
    update();
    require(d->launch_graph(instance, raw.stream), "graph");
  });
}

}  // namespace

void add_launch_cases(Raw& raw, std::vector<Case>& cases) {
  CUfunction empty = raw.function("empty");
  const Driver* d = raw.driver;
  add_each(
      raw, cases, "launch of an empty kernel", [=, &raw] { raw.launch(empty, 1, 32, 1, nullptr); });
  add_each(raw, cases, "launch of an empty kernel and synchronize", [=, &raw] {
    raw.launch(empty, 1, 32, 1, nullptr);
    raw.synchronize();
  });
  CUevent event = nullptr;
  require(d->create_event(&event, CU_EVENT_DISABLE_TIMING), "event");
  add_each(raw, cases, "launch, record an event and wait for it", [=, &raw] {
    raw.launch(empty, 1, 32, 1, nullptr);
    require(d->record_event(event, raw.stream), "record");
    require(d->synchronize_event(event), "wait");
  });
  add_each(raw, cases, "recording an event", [=, &raw] {
    require(d->record_event(event, raw.stream), "record");
  });
  add_each(raw, cases, "asking an event", [=] { d->query_event(event); });
  add_each(raw, cases, "synchronize an idle stream", [&raw] { raw.synchronize(); });
  add_updates(raw, cases);
}

}  // namespace hypatia::limits
