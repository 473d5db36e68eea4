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

template <typename Record>
const Record& as(const std::uint8_t* record) {
  return *reinterpret_cast<const Record*>(record);
}

/// Adds a record of work to its submission; others are none of ours.
void add(const std::uint8_t* record, std::map<std::uint32_t, std::vector<SeenWork>>& submissions) {
  switch (as<cupti::ApiRecord>(record).kind) {
    case cupti::Kind::kernel: {
      const auto& kernel = as<cupti::KernelRecord>(record);
      if (kernel.start == 0) return;
      SeenWork work{{kernel.start, kernel.end}, kernel.name, {}, {}, kernel.registers};
      std::copy(std::begin(kernel.grid), std::end(kernel.grid), work.grid.begin());
      std::copy(std::begin(kernel.block), std::end(kernel.block), work.block.begin());
      submissions[kernel.correlation].push_back(work);
      return;
    }
    case cupti::Kind::memcpy: {
      const auto& copy = as<cupti::CopyRecord>(record);
      submissions[copy.correlation].push_back({{copy.start, copy.end}, "copy", {}, {}, 0});
      return;
    }
    case cupti::Kind::memset: {
      const auto& fill = as<cupti::FillRecord>(record);
      submissions[fill.correlation].push_back({{fill.start, fill.end}, "fill", {}, {}, 0});
      return;
    }
    default:
      return;
  }
}

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

std::vector<std::vector<SeenWork>> Stamps::take() {
  api_->flush_all(1);
  std::map<std::uint32_t, std::vector<SeenWork>> submissions;
  for (const cupti::BufferPool::Filled& filled : buffers().take_filled()) {
    std::uint8_t* record = nullptr;
    while (api_->next_record(filled.data, filled.valid, &record) == cupti::result::success) {
      add(record, submissions);
    }
    buffers().give_back(filled.data);
  }
  std::vector<std::vector<SeenWork>> taken;
  for (auto& [correlation, works] : submissions) {
    std::sort(works.begin(), works.end(), [](const SeenWork& a, const SeenWork& b) {
      return a.stamp.start < b.stamp.start;
    });
    taken.push_back(std::move(works));
  }
  return taken;
}

}  // namespace hypatia::kernel_loops
