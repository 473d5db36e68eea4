#include "bench/kernel_loops/stamps.h"

#include <algorithm>
#include <map>

#include "profiler/cupti/buffers.h"
#include "profiler/cupti/kinds.h"

namespace hypatia::kernel_loops {

namespace {

// Never destroyed: CUPTI's thread may outlive main's objects.
cupti::BufferPool& buffers() {
  static cupti::BufferPool& instance = *new cupti::BufferPool;
  return instance;
}

void requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *buffer = buffers().take();
  *size = cupti::BufferPool::buffer_size;
  *most = 0;
}

void completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  buffers().complete(buffer, valid);
}

void ignore_callback(void*, std::uint32_t, std::uint32_t, const void*) {}

}  // namespace

std::unique_ptr<Stamps> Stamps::open(std::string& reason) {
  std::unique_ptr<cupti::Api> api = cupti::load(reason);
  if (!api) return nullptr;
  buffers().expect_reader(true);
  void* subscriber = nullptr;
  int code = api->subscribe(&subscriber, ignore_callback, nullptr);
  if (code == cupti::result::success) code = api->register_callbacks(requested, completed);
  for (const cupti::Kind kind : cupti::traced_kinds) {
    if (code == cupti::result::success) code = api->enable(kind);
  }
  if (code != cupti::result::success) {
    reason = cupti::explain(*api, code);
    return nullptr;
  }
  return std::unique_ptr<Stamps>(new Stamps(std::move(api)));
}

void Stamps::clear() {
  api_->flush_all(1);
  for (const cupti::BufferPool::Filled& filled : buffers().take_filled())
    buffers().give_back(filled.data);
}

std::vector<std::vector<Stamp>> Stamps::take(const std::string& name) {
  api_->flush_all(1);
  std::map<std::uint32_t, std::vector<Stamp>> submissions;
  for (const cupti::BufferPool::Filled& filled : buffers().take_filled()) {
    std::uint8_t* record = nullptr;
    while (api_->next_record(filled.data, filled.valid, &record) == cupti::result::success) {
      const auto& kernel = *reinterpret_cast<const cupti::KernelRecord*>(record);
      if (kernel.kind != cupti::Kind::kernel || name != kernel.name) continue;
      if (kernel.start != 0) submissions[kernel.correlation].push_back({kernel.start, kernel.end});
    }
    buffers().give_back(filled.data);
  }
  std::vector<std::vector<Stamp>> loops;
  for (auto& [correlation, loop] : submissions) {
    std::sort(loop.begin(), loop.end(), [](Stamp a, Stamp b) { return a.start < b.start; });
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace hypatia::kernel_loops
