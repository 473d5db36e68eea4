// The protocol with CUPTI: subscribe first (it tells of other tools), then buffers, then kinds; at
// the end flush, disable, unsubscribe. The device is idle by then, or its last records lack times.

#include "profiler/cupti/tracer.h"

#include <algorithm>
#include <array>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "profiler/cupti/kinds.h"

namespace hypatia::cupti {

namespace {

/// Driver calls that are frequent, short and submit nothing; each would cost three records.
constexpr std::array<std::uint32_t, 11> noise{
    9,    // cuDeviceGetAttribute
    16,   // cuCtxGetDevice
    120,  // cuEventQuery
    303,  // cuCtxSetCurrent
    304,  // cuCtxGetCurrent
    310,  // cuPointerGetAttribute
    392,  // cuDevicePrimaryCtxGetState
    499,  // cuStreamIsCapturing
    500,  // the same, per thread
    677,  // cuGetProcAddress_v2
    686,  // cuKernelGetAttribute
};

std::atomic<Tracer*> active{nullptr};
std::atomic<BufferPool*> active_buffers{nullptr};

struct Submitting {
  std::uint32_t call, step;
  bool captured;
};

/// What this thread submits for: the innermost step last.
thread_local std::vector<Submitting> step_stack;
/// Nodes that this thread captured in the outermost step.
thread_local std::vector<GraphNode> captured_nodes;
thread_local std::uint64_t noted_by = 0;  // the tracer's serial number

std::atomic<std::uint64_t> next_serial{1};

void buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  BufferPool* pool = active_buffers.load();
  *buffer = pool->take();
  *size = BufferPool::buffer_size;
  *most = 0;
}

void buffer_completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (BufferPool* pool = active_buffers.load()) pool->complete(buffer, valid);
}

}  // namespace

Tracer::Tracer(std::unique_ptr<Api> api) : api_(std::move(api)), serial_(next_serial++) {}

std::unique_ptr<Tracer> Tracer::open(std::string& reason) {
  std::unique_ptr<Api> api = load(reason);
  if (!api) return nullptr;
  std::unique_ptr<Tracer> tracer(new Tracer(std::move(api)));
  reason = tracer->subscribe();
  if (reason.empty()) reason = tracer->enable_kinds();
  if (!reason.empty()) return nullptr;
  tracer->clock_.add_anchor(*tracer->api_);
  return tracer;
}

std::string Tracer::subscribe() {
  if (const int code = api_->subscribe(&subscriber_, on_resource, this)) {
    subscriber_ = nullptr;
    return explain(*api_, code);
  }
  active = this;
  active_buffers = &buffers_;
  if (const int code = api_->register_callbacks(buffer_requested, buffer_completed)) {
    return explain(*api_, code);
  }
  if (api_->enable_callback && api_->graph_node_id) {
    follows_graphs_ = true;
    for (const std::uint32_t id : {graph_node_created, graph_node_cloned}) {
      const int code = api_->enable_callback(1, subscriber_, resource_domain, id);
      follows_graphs_ &= code == result::success;
    }
  }
  return "";
}

std::string Tracer::enable_kinds() {
  for (const Kind kind : traced_kinds) {
    const int code = api_->enable(kind);
    // Kernels and copies are the point; the others are missed, not needed.
    const bool needed = kind == Kind::kernel || kind == Kind::memcpy || kind == Kind::driver;
    if (code != result::success && needed) return explain(*api_, code);
  }
  if (api_->enable_driver_call) {
    for (const std::uint32_t call : noise)
      api_->enable_driver_call(call, 0);
  }
  return "";
}

Tracer::~Tracer() {
  if (subscriber_) {
    for (const Kind kind : traced_kinds)
      api_->disable(kind);
    api_->unsubscribe(subscriber_);
  }
  if (active == this) {
    active = nullptr;
    active_buffers = nullptr;
  }
}

/// A second recording does not want what ran between it and the first.
bool Tracer::attach() {
  if (attached_.exchange(true)) return false;
  if (attached_before_) {
    api_->flush_all(1);
    for (const BufferPool::Filled& filled : buffers_.take_filled()) {
      buffers_.give_back(filled.data);
    }
  }
  attached_before_ = true;
  buffers_.expect_reader(true);
  return true;
}

/// CUPTI numbers threads by the low half of pthread_self().
void Tracer::note_thread() {
  noted_by = serial_;
  const auto number = static_cast<std::uint32_t>(pthread_self());
  const auto thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  const std::scoped_lock lock(mutex_);
  notes_.threads[number] = thread;
  noted_ = true;
}

void Tracer::push(std::uint32_t call, std::uint32_t step) {
  if (noted_by != serial_) note_thread();
  step_stack.push_back({call, step, false});
  api_->push_external(external_kind, pack(call, step));
}

void Tracer::pop() {
  if (step_stack.empty()) return;  // the recording was attached in the middle of a step
  const Submitting done = step_stack.back();
  step_stack.pop_back();
  std::uint64_t last = 0;
  api_->pop_external(external_kind, &last);
  if (captured_nodes.empty() || !step_stack.empty()) return;
  const std::scoped_lock lock(mutex_);
  notes_.captures[done.step] = std::move(captured_nodes);
  captured_nodes.clear();
  noted_ = true;
}

void Tracer::push_captured(std::uint32_t call, std::uint32_t step) {
  step_stack.push_back({call, step, true});
}

void Tracer::pop_captured() {
  if (!step_stack.empty()) step_stack.pop_back();
}

bool Tracer::own(const std::string& owner) {
  if (!step_stack.empty()) return false;
  std::size_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string>& owners = notes_.owners;
    const auto known = std::find(owners.begin(), owners.end(), owner);
    number = static_cast<std::size_t>(known - owners.begin()) + 1;
    if (known == owners.end()) owners.push_back(owner);
    noted_ = true;
  }
  push(owners_call, static_cast<std::uint32_t>(number));
  return true;
}

void Tracer::add_step(std::uint64_t thread, const Event& step) {
  join_.add_step(thread, step);
}

void Tracer::on_resource(void* user, std::uint32_t domain, std::uint32_t id, const void* data) {
  if (domain != resource_domain || !data) return;
  const auto* resource = static_cast<const ResourceData*>(data);
  if (!resource->descriptor) return;
  static_cast<Tracer*>(user)->on_graph_node(
      *static_cast<const GraphData*>(resource->descriptor), id == graph_node_cloned);
}

/// A node belongs to the step that was under way when it was captured; instantiating a graph makes
/// copies with new ids.
void Tracer::on_graph_node(const GraphData& graph, bool cloned) {
  std::uint64_t id = 0, original = 0;
  if (api_->graph_node_id(graph.node, &id) != result::success) return;
  if (cloned && api_->graph_node_id(graph.original_node, &original) != result::success) return;
  const std::scoped_lock lock(mutex_);
  noted_ = true;
  if (cloned) {
    const auto known = notes_.graph_nodes.find(original);
    if (known == notes_.graph_nodes.end()) return;
    const GraphNode node = known->second;
    notes_.graph_nodes[id] = node;
    return;
  }
  // Instantiating makes nodes too, and then says of what they are copies.
  if (step_stack.empty() || !step_stack.back().captured) return;
  const Submitting& step = step_stack.back();
  const auto later = static_cast<std::int32_t>(step.call - step_stack.front().call);
  notes_.graph_nodes[id] = {later, step.step};
  captured_nodes.push_back({later, step.step});
}

void Tracer::read_buffers() {
  for (const BufferPool::Filled& filled : buffers_.take_filled()) {
    std::uint8_t* record = nullptr;
    while (api_->next_record(filled.data, filled.valid, &record) == result::success) {
      join_.add(record);
    }
    buffers_.give_back(filled.data);
  }
}

void Tracer::collect(DeviceSink& sink, bool last) {
  // Buffers come by themselves only when full; asking each time would cost more than it brings.
  constexpr std::uint32_t rounds_a_flush = 5;
  if (last || ++rounds_ % rounds_a_flush == 0) {
    clock_.add_anchor(*api_);
    api_->flush_all(last ? 1 : 0);
  }
  read_buffers();
  std::size_t dropped = 0;
  if (api_->dropped_records(nullptr, 0, &dropped) == result::success) {
    sink.counts().lost += static_cast<std::int64_t>(dropped);
  }
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(noted_, false)) read_ = notes_;
  }
  join_.resolve(sink, clock_, read_, last);
  sink.counts().clock_error = clock_.error();
  if (!last) return;
  buffers_.expect_reader(false);
  attached_ = false;
}

}  // namespace hypatia::cupti
