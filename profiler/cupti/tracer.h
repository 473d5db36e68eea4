#pragma once
// The tracer of NVIDIA GPUs: one subscription a process, records read on the recorder's thread.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "profiler/cupti/api.h"
#include "profiler/cupti/buffers.h"
#include "profiler/cupti/clock.h"
#include "profiler/cupti/join.h"
#include "profiler/record/device_tracer.h"

namespace hypatia::cupti {

class Tracer final : public DeviceTracer {
 public:
  /// Subscribes and enables; null and why in `reason` if that can't be. CUPTI's callbacks carry no
  /// user data, so there is one tracer at a time.
  static std::unique_ptr<Tracer> open(std::string& reason);
  ~Tracer() override;

  void push(std::uint32_t call, std::uint32_t step) override;
  void pop() override;

  bool follows_graphs() const override { return follows_graphs_; }

  void push_captured(std::uint32_t call, std::uint32_t step) override;
  void pop_captured() override;
  bool own(const std::string& owner) override;
  void add_step(std::uint64_t thread, const Event& step) override;
  void collect(DeviceSink& sink, bool last) override;

  /// True for the one that asks while no recording is attached.
  bool attach();

 private:
  explicit Tracer(std::unique_ptr<Api> api);

  std::string subscribe();
  std::string enable_kinds();
  void note_thread();
  void read_buffers();
  static void on_resource(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
  void on_graph_node(const GraphData& graph, bool cloned);

  std::unique_ptr<Api> api_;
  const std::uint64_t serial_;
  void* subscriber_ = nullptr;
  BufferPool buffers_;
  ClockMap clock_;
  Join join_;
  std::atomic<bool> attached_{false};
  bool attached_before_ = false;
  std::uint32_t rounds_ = 0;

  bool follows_graphs_ = false;
  std::mutex mutex_;  // of what callbacks and programs' threads note
  Notes notes_;
  bool noted_ = false;  // since the reader's copy was made
  Notes read_;
};

}  // namespace hypatia::cupti
