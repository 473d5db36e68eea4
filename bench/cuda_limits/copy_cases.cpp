// Copies by size: the driver's own, and the engine's staging for pageable memory by threads.
#include <memory>

#include "engine/device/cuda/staging.h"

#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

namespace {

struct Sides {
  CUdeviceptr device, other;
  void* pinned;
  char* pageable;
};

std::string size_text(std::size_t bytes) {
  return bytes < (1U << 20U) ? std::to_string(bytes >> 10U) + " KB"
                             : std::to_string(bytes >> 20U) + " MB";
}

void add_plain(Raw& raw, std::vector<Case>& cases, const Sides& at, std::size_t bytes) {
  const int repeats = bytes > (16U << 20U) ? 3 : 20;
  const auto add = [&](const char* name, auto copy) {
    cases.push_back({
        std::string(name) + ", " + size_text(bytes),
        repeats,
        [copy, &raw](int count) {
          for (int i = 0; i < count; ++i) {
            require(copy(), "copy");
            raw.synchronize();
          }
        },
        static_cast<double>(bytes),
    });
  };
  const Driver* d = raw.driver;
  CUstream s = raw.stream;
  add("copy in, pinned", [=] { return d->copy_in(at.device, at.pinned, bytes, s); });
  add("copy out, pinned", [=] { return d->copy_out(at.pinned, at.device, bytes, s); });
  add("copy in, pageable", [=] { return d->copy_in(at.device, at.pageable, bytes, s); });
  add("copy out, pageable", [=] { return d->copy_out(at.pageable, at.device, bytes, s); });
  add("copy on the device", [=] { return d->copy(at.other, at.device, bytes, s); });
}

void add_staged(
    Raw& raw,
    std::vector<Case>& cases,
    const Sides& at,
    std::size_t bytes,
    Staging& staging,
    const std::string& plan) {
  cases.push_back({
      "copy in, staged " + plan + ", " + size_text(bytes),
      bytes > (16U << 20U) ? 3 : 10,
      [=, &raw, &staging](int count) {
        for (int i = 0; i < count; ++i) {
          staging.copy_in(at.device, at.pageable, bytes, raw.stream);
          raw.synchronize();
        }
      },
      static_cast<double>(bytes),
  });
  cases.push_back({
      "copy out, staged " + plan + ", " + size_text(bytes),
      bytes > (16U << 20U) ? 3 : 10,
      [=, &raw, &staging](int count) {
        for (int i = 0; i < count; ++i)
          staging.copy_out(at.pageable, at.device, bytes, raw.stream);
      },
      static_cast<double>(bytes),
  });
}

}  // namespace

void add_copy_cases(Raw& raw, std::vector<Case>& cases) {
  constexpr std::size_t most = std::size_t{256} << 20U;
  const Sides at{
      raw.device_memory(most),
      raw.device_memory(most),
      raw.pinned_memory(most),
      new char[most](),
  };
  for (const std::size_t bytes :
       {4UL << 10U, 64UL << 10U, 900UL << 10U, 4UL << 20U, 16UL << 20U, most})
    add_plain(raw, cases, at, bytes);
  CUcontext context = nullptr;
  require(raw.driver->retain_context(&context, raw.device), "context");
  auto* shared = new Context(*raw.driver, raw.device, context, "cuda0");
  for (const int threads : {1, 2, 4}) {
    StagingPlan plan;
    plan.threads = threads;
    auto* staging = new Staging(*shared, plan);
    const std::string name = "by " + std::to_string(threads) + " threads";
    for (const std::size_t bytes : {128UL << 10U, 900UL << 10U, 4UL << 20U, 64UL << 20U})
      add_staged(raw, cases, at, bytes, *staging, name);
  }
}

}  // namespace hypatia::limits
