#pragma once
// Runs the threads of one block as fibers on the calling host thread: barriers by arrival count,
// warp operations by the lanes of their mask, and an error instead of a hang.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/sim/abi.h"
#include "engine/device/sim/fiber.h"
#include "engine/device/sim/warp.h"

namespace hypatia::sim {

/// In which order threads that could all run are picked.
enum class Order : std::uint8_t { ascending, descending, random };

/// What stopped a launch, in a learner's words; `line` is the line of the kernel's text, 0 if none.
struct Fault {
  std::string tag;  // "barrier", "warp", "memory", "stack", "division", "assert"
  std::string what;
  std::int32_t line = 0;
  std::uint64_t block = 0;
  std::int32_t thread = -1;

  explicit operator bool() const { return !what.empty(); }
};

/// The co-operating threads of one block at a time; each host thread has one of its own.
class Block {
 public:
  /// Runs block `index` (linear) to its end or to its first fault.
  Fault run(
      ThreadEntry entry,
      const Shape& shape,
      std::uint64_t index,
      void* const* arguments,
      Order order = Order::ascending);

  /// The hooks that objects are bound to; they act on the block that the calling thread runs.
  static const Hooks& hooks();
  /// The block that the calling host thread runs now, or null.
  static Block* running();
  /// After a crash: this host thread runs no block any more.
  static void leave();

  /// Linear number of the thread that runs now, and of the block.
  unsigned thread() const { return thread_; }

  std::uint64_t index() const { return index_; }

  const Shape& shape() const { return shape_; }

  unsigned threads() const { return count_; }

  /// Counts barriers and warp operations of the block that completed; two accesses with the same
  /// count of barriers have none between them.
  std::uint32_t barriers() const { return barriers_; }

  /// Called whenever a warp operation has ordered the lanes of `mask` of a warp.
  void (*on_warp)(Block& block, unsigned warp, WarpOp op, std::uint32_t mask) = nullptr;
  /// Called for a shuffle whose source lane takes no part.
  void (*on_bad_shuffle)(
      Block& block, std::int32_t line, unsigned warp, unsigned lane, unsigned source) = nullptr;
  /// Called whenever the whole block has passed a barrier.
  void (*on_barrier)(Block& block, std::int32_t line) = nullptr;

  Fibers& fibers() { return fibers_; }

  const Fibers& fibers() const { return fibers_; }

  /// Ends the block with a fault of the running thread; returns only to the scheduler.
  [[noreturn]] void fail(std::string tag, std::string what, std::int32_t line);

 private:
  enum class State : std::uint8_t { ready, at_barrier, at_warp, exited };

  struct Thread {
    State state = State::ready;
    BarrierKind barrier = BarrierKind::plain;
    WarpOp op = WarpOp::sync;
    std::int32_t line = 0;
    std::int32_t operand = 0;
    std::uint32_t mask = 0;
    std::uint64_t value = 0;  // what it brings, then what it takes
  };

  static void body(void* self, unsigned thread);
  static std::int32_t barrier(std::int32_t line, BarrierKind kind, std::int32_t predicate);
  static std::uint64_t warp(
      std::int32_t line, WarpOp op, std::uint32_t mask, std::uint64_t value, std::int32_t operand);
  static void fail_hook(std::int32_t line, const char* what);
  static void give_way();

  void choose_order(Order order);
  void sweep();
  void complete_barrier();
  void try_warp(unsigned warp, std::int32_t line, std::uint32_t mask);
  void try_warps_without(unsigned thread);
  void complete_warp(unsigned warp, std::uint32_t lanes);
  void look_for_bad_shuffles(unsigned warp, const Lanes& lanes);
  bool release_active_masks();
  void report_stuck();
  std::string where_others_are() const;
  std::uint32_t existing_lanes(unsigned warp) const;

  Fibers fibers_;
  std::vector<Thread> all_;
  std::vector<unsigned> order_;
  std::vector<std::uint32_t> warp_waiting_, warp_exited_;  // lanes of each warp
  Shape shape_;
  ThreadEntry entry_ = nullptr;
  void* const* arguments_ = nullptr;
  std::uint64_t index_ = 0;
  std::uint32_t block_[3]{};
  unsigned count_ = 0, thread_ = 0, live_ = 0, waiting_ = 0;
  std::uint32_t barriers_ = 0;
  std::uint64_t seed_ = 0;
  Fault fault_;
};

}  // namespace hypatia::sim
