// A libcupti without a GPU: records are made on demand, with the layout and the sizes of CUDA 13.0,
// and delivered through the same protocol.

#include "tests/profiler/cupti/mock/mock_cupti.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "profiler/cupti/api.h"

using namespace hypatia::cupti;

namespace {

using Bytes = std::vector<std::uint8_t>;

struct State {
  std::mutex mutex;
  MockCupti control;
  Callback callback = nullptr;
  void* user = nullptr;
  bool subscribed = false;
  std::set<std::uint32_t> kinds;
  std::set<std::uint32_t> callbacks;
  BufferRequested request = nullptr;
  BufferCompleted complete = nullptr;
  std::vector<Bytes> records;
  std::uint32_t next_correlation = 1;
  std::uint64_t device_free = 0;
};

State& state() {
  static State instance;
  return instance;
}

thread_local std::vector<std::uint64_t> external_stack;

bool on(Kind kind) {
  return state().kinds.count(static_cast<std::uint32_t>(kind)) != 0;
}

/// The size that CUDA 13.0 gives to a record of this kind.
std::size_t size_of(Kind kind) {
  switch (kind) {
    case Kind::kernel:
      return 216;
    case Kind::memcpy:
    case Kind::memcpy_peer:
      return 96;
    case Kind::memset:
      return 88;
    case Kind::driver:
    case Kind::runtime:
      return 40;
    case Kind::external_correlation:
      return 24;
    case Kind::synchronization:
    case Kind::overhead:
      return 56;
    case Kind::memory:
      return 128;
  }
  return 0;
}

template <typename Record>
void deliver(const Record& record) {
  if (!on(record.kind)) return;
  Bytes bytes(size_of(record.kind));
  std::memcpy(bytes.data(), &record, std::min(sizeof record, bytes.size()));
  state().records.push_back(std::move(bytes));
}

/// The call of the driver that submits something; returns its correlation id.
std::uint32_t call(std::uint64_t& end) {
  State& all = state();
  const std::uint32_t correlation = all.next_correlation++;
  ApiRecord api{};
  api.kind = Kind::driver;
  api.function = 307;
  api.start = mock_cupti_now();
  api.thread = static_cast<std::uint32_t>(pthread_self());
  api.process = static_cast<std::uint32_t>(getpid());
  api.correlation = correlation;
  while (mock_cupti_now() < api.start + 2000)
    continue;
  api.end = end = mock_cupti_now();
  if (!external_stack.empty() && on(Kind::driver) && !all.control.no_external) {
    ExternalRecord external{};
    external.kind = Kind::external_correlation;
    external.external_kind = external_kind;
    external.external = external_stack.back();
    external.correlation = correlation;
    deliver(external);
  }
  deliver(api);
  return correlation;
}

/// When work that was submitted at `time` runs on the one engine of this device.
void schedule(std::uint64_t time, std::uint64_t length, std::uint64_t& start, std::uint64_t& end) {
  State& all = state();
  start = std::max(time + 1000, all.device_free);
  if (all.control.early) start = time - 50'000;
  end = start + length;
  all.device_free = end;
  if (all.control.no_stamps) start = end = 0;
}

}  // namespace

extern "C" {

MockCupti* mock_cupti_control() {
  return &state().control;
}

std::uint64_t mock_cupti_now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void mock_cupti_launch(const char* kernel, std::uint32_t stream, std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  KernelRecord record{};
  record.kind = Kind::kernel;
  record.correlation = call(end);
  record.name = kernel;
  record.stream = stream;
  record.registers = 32;
  record.grid[0] = 264;
  record.block[0] = 256;
  record.grid[1] = record.grid[2] = record.block[1] = record.block[2] = 1;
  schedule(end, nanoseconds, record.start, record.end);
  deliver(record);
}

void mock_cupti_copy(std::uint8_t kind, std::uint64_t bytes, std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  CopyRecord record{};
  record.kind = Kind::memcpy;
  record.correlation = call(end);
  record.copy_kind = kind;
  record.bytes = bytes;
  record.source = kind == 1 ? 1 : 3;
  record.target = kind == 2 ? 2 : 3;
  record.stream = 7;
  schedule(end, nanoseconds, record.start, record.end);
  deliver(record);
}

void mock_cupti_fill(std::uint64_t bytes, std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  FillRecord record{};
  record.kind = Kind::memset;
  record.correlation = call(end);
  record.bytes = bytes;
  record.stream = 7;
  schedule(end, nanoseconds, record.start, record.end);
  deliver(record);
}

void mock_cupti_wait(std::uint32_t type, std::uint32_t stream, std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  SyncRecord record{};
  record.kind = Kind::synchronization;
  record.correlation = call(end);
  record.type = type;
  record.stream = stream;
  record.start = end;
  record.end = end + nanoseconds;
  deliver(record);
}

void mock_cupti_memory(bool allocates, std::uint64_t bytes) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  MemoryRecord record{};
  record.kind = Kind::memory;
  record.operation = allocates ? 1 : 2;
  record.memory = 3;
  record.bytes = bytes;
  record.time = mock_cupti_now();
  record.correlation = call(end);
  deliver(record);
}

void mock_cupti_load_module(std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  OverheadRecord record{};
  record.kind = Kind::overhead;
  record.overhead = 4u << 16;
  record.start = mock_cupti_now();
  record.end = record.start + nanoseconds;
  deliver(record);
}

void mock_cupti_graph_node(std::uint64_t node) {
  GraphData graph{};
  graph.node = reinterpret_cast<void*>(node);
  const ResourceData data{nullptr, nullptr, &graph};
  if (state().callbacks.count(graph_node_created)) {
    state().callback(state().user, resource_domain, graph_node_created, &data);
  }
}

void mock_cupti_clone_node(std::uint64_t copy, std::uint64_t original) {
  GraphData graph{};
  graph.node = reinterpret_cast<void*>(copy);
  graph.original_node = reinterpret_cast<void*>(original);
  const ResourceData data{nullptr, nullptr, &graph};
  if (state().callbacks.count(graph_node_cloned)) {
    state().callback(state().user, resource_domain, graph_node_cloned, &data);
  }
}

void mock_cupti_launch_graph(std::uint64_t first, int nodes, std::uint64_t nanoseconds) {
  const std::scoped_lock lock(state().mutex);
  std::uint64_t end = 0;
  const std::uint32_t correlation = call(end);
  for (int i = 0; i < nodes; ++i) {
    KernelRecord record{};
    record.kind = Kind::kernel;
    record.correlation = correlation;
    record.name = "in_graph";
    record.stream = 7;
    record.graph_node = first + static_cast<std::uint64_t>(i);
    schedule(end, nanoseconds, record.start, record.end);
    deliver(record);
  }
}

int cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return result::success;
}

int cuptiGetTimestamp(std::uint64_t* time) {
  *time = mock_cupti_now();
  return result::success;
}

int cuptiGetResultString(int, const char** text) {
  *text = "a mock's reason";
  return result::success;
}

int cuptiSubscribe(void** subscriber, Callback callback, void* user) {
  State& all = state();
  if (all.control.subscribe_result) return all.control.subscribe_result;
  if (all.subscribed) return result::other_subscriber;
  all.subscribed = true;
  all.callback = callback;
  all.user = user;
  *subscriber = &all;
  return result::success;
}

int cuptiUnsubscribe(void*) {
  State& all = state();
  all.subscribed = false;
  all.kinds.clear();
  all.callbacks.clear();
  all.records.clear();
  return result::success;
}

int cuptiActivityRegisterCallbacks(BufferRequested request, BufferCompleted complete) {
  state().request = request;
  state().complete = complete;
  return result::success;
}

int cuptiActivityEnable(Kind kind) {
  if (state().control.enable_result) return state().control.enable_result;
  state().kinds.insert(static_cast<std::uint32_t>(kind));
  return result::success;
}

int cuptiActivityDisable(Kind kind) {
  state().kinds.erase(static_cast<std::uint32_t>(kind));
  return result::success;
}

int cuptiActivityFlushAll(std::uint32_t) {
  State& all = state();
  const std::scoped_lock lock(all.mutex);
  if (all.control.shuffle) std::reverse(all.records.begin(), all.records.end());
  std::size_t next = 0;
  while (next < all.records.size()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0, used = 0;
    all.request(&buffer, &size, &most);
    if (all.control.buffer_bytes) size = std::min<std::size_t>(size, all.control.buffer_bytes);
    while (next < all.records.size() && used + all.records[next].size() <= size) {
      std::memcpy(buffer + used, all.records[next].data(), all.records[next].size());
      used += all.records[next++].size();
    }
    all.complete(nullptr, 0, buffer, size, used);
  }
  all.records.clear();
  return result::success;
}

int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  std::uint8_t* next = *record ? *record : buffer;
  if (*record) next += size_of(*reinterpret_cast<Kind*>(*record));
  if (next >= buffer + valid) return result::end_of_buffer;
  *record = next;
  return result::success;
}

int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
  *count = state().control.dropped;
  state().control.dropped = 0;
  return result::success;
}

int cuptiActivityPushExternalCorrelationId(std::uint32_t, std::uint64_t id) {
  external_stack.push_back(id);
  return result::success;
}

int cuptiActivityPopExternalCorrelationId(std::uint32_t, std::uint64_t* last) {
  *last = external_stack.back();
  external_stack.pop_back();
  return result::success;
}

int cuptiEnableCallback(std::uint32_t enable, void*, std::uint32_t, std::uint32_t id) {
  if (enable) state().callbacks.insert(id);
  return result::success;
}

int cuptiGetGraphNodeId(void* node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(node);
  return result::success;
}
}
