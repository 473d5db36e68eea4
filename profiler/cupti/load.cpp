// Where libcupti is looked for, and what its failures mean.

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "engine/device/cuda/loader.h"

#include "profiler/cupti/api.h"

namespace hypatia::cupti {

namespace {

constexpr std::array<const char*, 4> names{
    "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Where the engine looks for NVIDIA's libraries; a toolkit keeps this one beside them.
std::vector<std::string> folders() {
  std::vector<std::string> list;
  for (const std::string& folder : cuda_library_folders()) {
    if (!folder.empty()) list.push_back(folder + "/../extras/CUPTI/lib64/");
    list.push_back(folder.empty() ? "" : folder + "/");
  }
  for (const char* root : {"/usr/lib/cuda", "/opt/cuda"}) {
    for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
      list.push_back(std::string(root) + folder);
  }
  return list;
}

/// `folder` ends in a slash; "" is dlopen's own search.
void* open_in(const std::string& folder) {
  for (const char* name : names) {
    if (void* library = dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

/// One that somebody loaded already comes first: two copies in one process collide.
void* open_library() {
  const std::string chosen = environment("HYPATIA_CUPTI_DIR");
  if (!chosen.empty()) return open_in(chosen + "/");
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)) return library;
  }
  for (const std::string& folder : folders()) {
    if (void* library = open_in(folder)) return library;
  }
  return nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::unique_ptr<Api> load(std::string& reason) {
  void* library = open_library();
  if (!library) {
    reason =
        "GPU lanes need libcupti, which was not found; the host's part is shown. Install the CUDA "
        "toolkit's CUPTI, or name its folder in HYPATIA_CUPTI_DIR.";
    return nullptr;
  }
  auto api = std::make_unique<Api>();
  const bool complete =
      find(library, "cuptiGetVersion", api->get_version) &&
      find(library, "cuptiGetTimestamp", api->get_timestamp) &&
      find(library, "cuptiGetResultString", api->get_result_string) &&
      find(library, "cuptiSubscribe", api->subscribe) &&
      find(library, "cuptiUnsubscribe", api->unsubscribe) &&
      find(library, "cuptiActivityRegisterCallbacks", api->register_callbacks) &&
      find(library, "cuptiActivityEnable", api->enable) &&
      find(library, "cuptiActivityDisable", api->disable) &&
      find(library, "cuptiActivityFlushAll", api->flush_all) &&
      find(library, "cuptiActivityGetNextRecord", api->next_record) &&
      find(library, "cuptiActivityGetNumDroppedRecords", api->dropped_records) &&
      find(library, "cuptiActivityPushExternalCorrelationId", api->push_external) &&
      find(library, "cuptiActivityPopExternalCorrelationId", api->pop_external);
  if (!complete) {
    reason = "the libcupti that was found is too old to trace with; the host's part is shown.";
    return nullptr;
  }
  find(library, "cuptiActivityEnableDriverApi", api->enable_driver_call);
  find(library, "cuptiEnableCallback", api->enable_callback);
  find(library, "cuptiGetGraphNodeId", api->graph_node_id);
  find(library, "cuptiGetCallbackName", api->callback_name);
  return api;
}

std::string explain(const Api& api, int code) {
  std::uint32_t version = 0;
  api.get_version(&version);
  const std::string ours = "CUPTI " + std::to_string(version);
  switch (code) {
    case result::other_subscriber:
      return "another tool is tracing this program (nsys, ncu, cuda-gdb, compute-sanitizer or a "
             "framework's profiler), so GPU lanes are missing; the host's part is shown.";
    case result::unknown:
    case result::not_initialized:
      return "GPU lanes are missing: the NVIDIA driver is absent, or older than " + ours + ".";
    case result::insufficient_privileges:
      return "GPU lanes are missing: the driver lets only administrators profile "
             "(NVreg_RestrictProfilingToAdminUsers=0 in the nvidia module's options changes that).";
    case result::not_supported:
    case result::virtualized:
      return "GPU lanes are missing: this virtual GPU does not allow profiling.";
    case result::confidential:
      return "GPU lanes are missing: confidential computing does not allow the profiler's buffers.";
    default:
      break;
  }
  const char* text = nullptr;
  api.get_result_string(code, &text);
  return "GPU lanes are missing: " + ours + " says " + std::to_string(code) + " (" +
         (text ? text : "no reason") + ").";
}

}  // namespace hypatia::cupti
