#pragma once
// The simulated GPU as a Device. Work is done at once, in the order of its submission, and takes
// modelled time; copies to pinned memory land only when somebody waits for them, so that a missing
// wait shows.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/device/sim/arena.h"
#include "engine/device/sim/block.h"
#include "engine/device/sim/model.h"
#include "engine/device/sim/module.h"
#include "engine/device/sim/shadow.h"
#include "engine/device/sim/timeline.h"
#include "engine/trace/records.h"

namespace hypatia::sim {

class SimDevice;

/// A stream of the simulated card.
class SimQueue final : public Queue {
 public:
  SimQueue(SimDevice& device, std::uint32_t count) : number(count), device_(device) {}

  void synchronize() override;

  const std::uint32_t number;
  QueueTimes times;
  Ref<Replay> capture;  // a SimReplay, not null between begin and end of a capture

 private:
  SimDevice& device_;
};

/// A point on a queue's modelled time.
class SimMarker final : public Marker {
 public:
  SimMarker(SimDevice& device, std::int64_t time) : device_(device), time_(time) {}

  void synchronize() override;
  double seconds_since(Marker& earlier) override;

  std::int64_t time() const { return time_; }

 private:
  SimDevice& device_;
  std::int64_t time_;
};

class SimStorage;
class PinnedStorage;

/// One submission: what it does, and what the model and the timeline need to know of it.
struct Work {
  EventKind kind = EventKind::kernel;
  double seconds = 0;
  double submit_seconds = 0;         // of the host
  double early_seconds = 0;          // that the first chunk leaves before the host has moved all
  double landing_seconds = 0;        // from the last chunk's end until the host has moved all
  double share = 1;                  // of the card, kernels only
  bool waits = false;                // the host returns when it is done
  std::int64_t begin = 0;            // when the host called
  std::uint32_t call = 0, step = 0;  // that captured it
  std::int32_t calls_later = 0;      // than the call that submits the capture
  PinnedStorage* target = nullptr;   // which it writes to
  DetailRecord detail;
};

/// What a checked device looks at.
struct Checking {
  Order order = Order::ascending;
  std::uint64_t launches = 0;  // of each kernel; 0: all
};

class SimDevice final : public Device {
 public:
  SimDevice(Sheet sheet, std::string name, Place place, std::optional<Checking> checked);
  ~SimDevice() override;

  const DeviceInfo& info() const override { return info_; }

  Dialect dialect() const override { return Dialect::cuda_c; }

  Ref<Storage> allocate(std::size_t bytes) override;
  Ref<Storage> allocate_pinned(std::size_t bytes) override;
  Ref<Module> compile(const KernelSource& source) override;
  void launch(const Kernel& kernel, const Launch& launch, void* const* args, Queue* queue) override;
  void multiply(const MatrixProduct& product, Queue* queue) override;
  void copy_in(
      Storage& to,
      std::size_t to_offset,
      const void* from,
      std::size_t bytes,
      Queue* queue) override;
  void copy_out(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) override;
  void copy_on(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) override;
  void fill(Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue* queue)
      override;
  Ref<Queue> make_queue() override;
  Ref<Marker> record(Queue* queue) override;
  void wait(Queue* queue, Marker& marker) override;
  void synchronize() override;

  bool can_capture() const override { return true; }

  void begin_capture(Queue* queue) override;
  Ref<Replay> end_capture(Queue* queue) override;
  void submit(Replay& replay, Queue* queue) override;
  Memory memory() const override;

  const Sheet& sheet() const { return sheet_; }

  const Arena& arena() const { return arena_; }

  /// For Storage::read and write: waits for all work, then copies at once.
  void read(const SimStorage& from, std::size_t offset, void* to, std::size_t bytes);
  void write(const SimStorage& to, std::size_t offset, const void* from, std::size_t bytes);
  /// Moves the calling thread's clock to `done`, as far as it lies ahead, and reports the wait;
  /// throws the Error of work that failed since the last wait.
  void wait_until(std::int64_t done, std::uint32_t queue);
  void wait_for_all();
  void wait_for(SimQueue& queue);
  void wait_for(PinnedStorage& pinned);
  void give_back(SimStorage* storage);
  void give_back(PinnedStorage* storage);

 private:
  struct Landing {
    PinnedStorage* to;
    std::size_t offset, bytes;
    Ref<Storage> data;
  };

  SimQueue& real(Queue* queue);
  void put(SimQueue& queue, Work work, const std::function<void()>& act);
  Slot schedule(SimQueue& queue, const Work& work, std::int64_t submitted, bool in_graph);
  void report(
      const SimQueue& queue,
      const Work& work,
      Slot slot,
      std::int64_t submit_begin,
      std::int64_t submit_end,
      bool in_graph) const;
  void run_kernel(const SimKernel& kernel, const Launch& launch, void* const* args);
  void check_launch(const SimKernel& kernel, const Launch& launch) const;
  void check_kernel(const SimKernel& kernel, const Launch& launch, void* const* args);
  /// After a launch that nobody looked at: what its arguments point to may have been written.
  void note_skipped(const SimKernel& kernel, const Launch& launch, void* const* args);
  bool check_arguments(const SimKernel& kernel, void* const* args);
  void check_range(const Storage& storage, std::size_t offset, std::size_t bytes) const;
  double touched_bytes(const SimKernel& kernel, void* const* args) const;
  void fail(Error error);
  void land();
  bool on_device(const void* address) const;
  PinnedStorage* pinned_at(const void* address) const;

  Sheet sheet_;
  DeviceInfo info_;
  mutable std::recursive_mutex mutex_;
  Arena arena_;
  Timeline timeline_;
  std::optional<Checking> checked_;
  Shadow shadow_;
  std::uint32_t queues_ = 0;
  Ref<SimQueue> default_queue_;
  std::int64_t busy_until_ = 0;  // the end of the last work of any queue
  std::optional<Error> failure_;
  std::vector<Landing> landings_;
  std::map<const char*, PinnedStorage*> pinned_;
  std::map<std::size_t, std::vector<PinnedStorage*>> free_pinned_;
  std::vector<SimStorage*> free_storages_;
};

}  // namespace hypatia::sim
