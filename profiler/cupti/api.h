#pragma once
// CUPTI as this profiler uses it: the calls, found at run time, and the beginnings of its records,
// which have kept their places from CUDA 11.0 on. No toolkit is needed to build.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hypatia::cupti {

/// The records we read, by CUPTI's stable numbers.
enum class Kind : std::uint32_t {
  memcpy = 1,
  memset = 2,
  driver = 4,
  runtime = 5,
  kernel = 10,  // concurrent kernels; kind 3 would run them one by one
  overhead = 17,
  memcpy_peer = 22,
  synchronization = 38,
  external_correlation = 39,
  memory = 49,  // MEMORY2: allocations and releases by the driver
};

/// CUPTI's results that mean something to users.
namespace result {
inline constexpr int success = 0;
inline constexpr int end_of_buffer = 12;
inline constexpr int not_initialized = 15;
inline constexpr int incomplete_record = 21;
inline constexpr int not_supported = 33;
inline constexpr int insufficient_privileges = 35;
inline constexpr int other_subscriber = 39;
inline constexpr int virtualized = 40;
inline constexpr int confidential = 41;
inline constexpr int unknown = 999;
}  // namespace result

struct KernelRecord {
  Kind kind;
  std::uint8_t cache, shared_config;
  std::uint16_t registers;
  std::uint8_t unused[8];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3], static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch[8];
  std::uint64_t graph_node;
};

struct CopyRecord {
  Kind kind;
  std::uint8_t copy_kind, source, target, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation, runtime_correlation, padding;
  void* reserved;
  std::uint64_t graph_node;
};

struct FillRecord {
  Kind kind;
  std::uint32_t value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
  std::uint16_t flags, memory;
  std::uint32_t padding;
  void* reserved;
  std::uint64_t graph_node;
};

struct ApiRecord {
  Kind kind;
  std::uint32_t function;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, value;
};

struct ExternalRecord {
  Kind kind;
  std::uint32_t external_kind;
  std::uint64_t external;
  std::uint32_t correlation, reserved;
};

struct SyncRecord {
  Kind kind;
  std::uint32_t type;
  std::uint64_t start, end;
  std::uint32_t correlation, context, stream, event;
};

struct MemoryRecord {
  Kind kind;
  std::uint32_t operation;  // 1: allocation, 2: release
  std::uint32_t memory, correlation;
  std::uint64_t address, bytes, time, caller;
  std::uint32_t process, device, context, stream;
};

struct OverheadRecord {
  Kind kind;
  std::uint32_t overhead;
  std::uint32_t object[4];
  std::uint64_t start, end;
};

static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, grid) == 52);
static_assert(offsetof(KernelRecord, correlation) == 92 && offsetof(KernelRecord, name) == 104);
static_assert(offsetof(KernelRecord, queued) == 120 && offsetof(KernelRecord, graph_node) == 144);
static_assert(offsetof(CopyRecord, bytes) == 8 && offsetof(CopyRecord, correlation) == 44);
static_assert(offsetof(CopyRecord, graph_node) == 64 && offsetof(FillRecord, graph_node) == 64);
static_assert(offsetof(FillRecord, correlation) == 44 && offsetof(ApiRecord, correlation) == 32);
static_assert(sizeof(ExternalRecord) == 24 && offsetof(SyncRecord, correlation) == 24);
static_assert(offsetof(OverheadRecord, start) == 24);
static_assert(offsetof(MemoryRecord, correlation) == 12 && offsetof(MemoryRecord, bytes) == 24);
static_assert(offsetof(MemoryRecord, time) == 32 && offsetof(MemoryRecord, device) == 52);

/// What a resource callback gets; the graph's data is behind it.
struct ResourceData {
  void* context;
  void* handle;
  void* descriptor;
};

struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};

inline constexpr std::uint32_t resource_domain = 3;
inline constexpr std::uint32_t graph_node_created = 13;
inline constexpr std::uint32_t graph_node_cloned = 20;
inline constexpr std::uint32_t external_kind = 3;  // CUSTOM0

using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most);
using BufferCompleted = void (*)(
    void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size, std::size_t valid);

/// The calls; those after `last_required` may be null.
struct Api {
  int (*get_version)(std::uint32_t*) = nullptr;
  int (*get_timestamp)(std::uint64_t*) = nullptr;
  int (*get_result_string)(int, const char**) = nullptr;
  int (*subscribe)(void**, Callback, void*) = nullptr;
  int (*unsubscribe)(void*) = nullptr;
  int (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  int (*enable)(Kind) = nullptr;
  int (*disable)(Kind) = nullptr;
  int (*flush_all)(std::uint32_t) = nullptr;
  int (*next_record)(std::uint8_t*, std::size_t, std::uint8_t**) = nullptr;
  int (*dropped_records)(void*, std::uint32_t, std::size_t*) = nullptr;
  int (*push_external)(std::uint32_t, std::uint64_t) = nullptr;
  int (*pop_external)(std::uint32_t, std::uint64_t*) = nullptr;
  int (*enable_driver_call)(std::uint32_t, std::uint8_t) = nullptr;
  int (*enable_callback)(std::uint32_t, void*, std::uint32_t, std::uint32_t) = nullptr;
  int (*graph_node_id)(void*, std::uint64_t*) = nullptr;
  int (*callback_name)(std::uint32_t, std::uint32_t, const char**) = nullptr;
};

/// Looks for libcupti where toolkits and packages put it, HYPATIA_CUPTI_DIR first. Returns the
/// calls, or null and why in `reason`. The library stays loaded.
std::unique_ptr<Api> load(std::string& reason);

/// What a failed call means to a user, e.g. "another tool is tracing this program (…)".
std::string explain(const Api& api, int result);

}  // namespace hypatia::cupti
