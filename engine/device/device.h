#pragma once
// What a cpu, a GPU and a simulated GPU have in common. Work is submitted to queues and runs in
// order on each; a call may return before the work is done.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/storage.h"
#include "engine/device/kernel.h"
#include "engine/device/library.h"
#include "engine/device/limits.h"

namespace hypatia {

/// An ordered stream of work on one device.
class Queue : public Counted {
 public:
  virtual ~Queue() = default;
  /// Returns once all its work is done; throws the Error of a failed piece.
  virtual void synchronize() = 0;
};

/// A point in a queue's work, with a time on the device's clock.
class Marker : public Counted {
 public:
  virtual ~Marker() = default;
  virtual void synchronize() = 0;
  /// Seconds on the device between an earlier marker and this one; waits for both.
  virtual double seconds_since(Marker& earlier) = 0;
};

/// A captured sequence of work that can be submitted again as one.
class Replay : public Counted {
 public:
  virtual ~Replay() = default;

  /// Kernel launches in the capture, counted in the order they were submitted.
  virtual std::size_t launches() const { return 0; }

  /// From the next submission on, launch `index` of the same kernel has these sizes and arguments.
  virtual void set_launch(std::size_t index, const Launch& launch, void* const* args);

  /// Copies in the capture (in, out and on), likewise.
  virtual std::size_t copies() const { return 0; }

  /// Addresses on the same sides as those captured.
  virtual void set_copy(std::size_t index, void* to, const void* from, std::size_t bytes);
};

// clang-format off
inline void retain(const Queue* q) { q->add_owner(); }
inline void release(const Queue* q) { if (q->drop_owner()) delete q; }
inline void retain(const Marker* m) { m->add_owner(); }
inline void release(const Marker* m) { if (m->drop_owner()) delete m; }
inline void retain(const Replay* r) { r->add_owner(); }
inline void release(const Replay* r) { if (r->drop_owner()) delete r; }

// clang-format on

/// A module that may still be in the making.
class PendingModule {
 public:
  virtual ~PendingModule() = default;
  /// True once get() won't wait.
  virtual bool ready() const = 0;
  /// The module; throws what compile() would.
  virtual Ref<Module> get() = 0;
};

/// One device. Methods may be called from several threads at once. A null queue is the default one.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual Dialect dialect() const = 0;

  Place place() const { return place_; }

  /// Device memory from a pool; freed memory is reused in the order of the queue's work.
  /// Throws Error of kind memory that says how much was asked and what is live.
  virtual Ref<Storage> allocate(std::size_t bytes) = 0;
  /// Host memory that copies fast and asynchronously; also from a pool.
  virtual Ref<Storage> allocate_pinned(std::size_t bytes) = 0;

  /// Compiles and loads, or takes from the cache. Throws Error with the compiler's message.
  virtual Ref<Module> compile(const KernelSource& source) = 0;
  /// Starts compiling and returns; a device without compilers of its own compiles in get().
  virtual std::unique_ptr<PendingModule> compile_later(KernelSource source);

  /// `args` holds the address of each argument's value.
  virtual void launch(
      const Kernel& kernel, const Launch& launch, void* const* args, Queue* queue) = 0;
  virtual void multiply(const MatrixProduct& product, Queue* queue) = 0;

  /// Asks the device's library for a convolution; one that it can't run has a kernel of the op's.
  virtual FoundConvolution convolution(const Convolution& wanted);
  /// Submits what convolution() gave.
  virtual void convolve(
      const LibraryConvolution& how, const ConvolutionMemory& memory, Queue* queue);

  /// Asynchronous copies. `copy_out` makes `to->wait()` wait for it when `to` is pinned memory of
  /// this device, and returns only when done otherwise.
  virtual void copy_in(
      Storage& to, std::size_t to_offset, const void* from, std::size_t bytes, Queue* queue) = 0;
  virtual void copy_out(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) = 0;
  virtual void copy_on(
      Storage& to,
      std::size_t to_offset,
      Storage& from,
      std::size_t from_offset,
      std::size_t bytes,
      Queue* queue) = 0;
  virtual void fill(
      Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue* queue) = 0;

  /// `to->wait()` waits for what is in the queue now: for pinned memory that a kernel or a replay
  /// writes. A captured copy_out marks nothing; the submission is followed by this.
  virtual void mark_written(Storage& to, Queue* queue);

  /// True if kernels may write pinned memory by its address.
  virtual bool kernels_reach_pinned() const { return false; }

  virtual Ref<Queue> make_queue() = 0;
  virtual Ref<Marker> record(Queue* queue) = 0;
  /// Work submitted to `queue` from here on waits for the marker.
  virtual void wait(Queue* queue, Marker& marker) = 0;
  virtual void synchronize() = 0;

  /// Between begin and end, submissions to the queue are recorded and not run.
  virtual bool can_capture() const { return false; }

  virtual void begin_capture(Queue* queue);
  virtual Ref<Replay> end_capture(Queue* queue);
  /// Ends a capture that an error cut short; nothing is kept.
  void drop_capture(Queue* queue) noexcept;
  virtual void submit(Replay& replay, Queue* queue);

  /// Bytes of device memory in use by arrays, held free in the pool, and the most ever in use.
  struct Memory {
    std::size_t live = 0, pooled = 0, peak = 0;
  };

  virtual Memory memory() const = 0;

  /// Captures made, and their submissions, since the device was opened.
  struct Replays {
    std::uint64_t captured = 0, submitted = 0;
  };

  Replays replays() const { return {captured_.load(), submitted_.load()}; }

 protected:
  explicit Device(Place place) : place_(place) {}

  void count_capture() { captured_.fetch_add(1, std::memory_order_relaxed); }

  void count_submission() { submitted_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Place place_;
  std::atomic<std::uint64_t> captured_{0}, submitted_{0};
};

/// What opening a device gave: the device, or null and the reason in one sentence.
struct Opened {
  std::unique_ptr<Device> device;
  std::string reason;
};

/// One line of the list of devices in devices.cpp: "cpu", "cuda", "sim".
struct DeviceKind {
  std::string_view name;
  Opened (*open)(std::string_view spec, Place place);  // spec: "cuda0", "sim:gtx580"
};

const std::vector<DeviceKind>& device_kinds();

/// Opens "cpu", "cuda", "cuda1", "sim", "sim0", "sim:gtx1060". Never throws for an absent device.
Opened open_device(std::string_view spec, Place place);

/// The device of a place; opened by use_device(). The host is the cpu device.
Device& device_at(Place place);
/// Opens a device as context `place.context` if that is not open yet; returns the reason if it
/// can't be had, else "".
std::string use_device(std::string_view spec, Place place);
/// Contexts in use now.
int open_contexts();
/// Waits for every device in use.
void synchronize_all();

}  // namespace hypatia
