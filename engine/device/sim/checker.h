#pragma once
// Runs a launch of a checked object on one host thread and looks at every access: what it finds is
// a SimReport.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "engine/device/sim/arena.h"
#include "engine/device/sim/block.h"
#include "engine/device/sim/counters.h"
#include "engine/device/sim/module.h"
#include "engine/device/sim/report.h"
#include "engine/device/sim/shadow.h"

namespace hypatia::sim {

/// What a checker needs to know of the device.
struct CheckedMemory {
  Shadow& shadow;
  const Arena& arena;
  /// True of host memory that kernels may reach.
  bool (*is_pinned)(const void* device, const void* at);
  const void* device;
};

/// A launch's report before anything was found.
SimReport empty_report(const SimKernel& kernel, const Shape& shape);

/// One checked launch.
class Checker {
 public:
  Checker(
      CheckedMemory memory, const SimKernel& kernel, const Shape& shape, void* const* arguments);

  /// Runs all blocks, or up to the first that can't go on.
  SimReport run(Order order);

  /// Called by the kernel's instrumentation.
  static void access(void* at, std::uint32_t bytes, std::int32_t write, void* from);
  static void atomic(void* at, std::uint32_t bytes, std::int32_t line);
  static void fence();

 private:
  /// The array that an address belongs to, or was meant to.
  struct Target {
    std::string name;
    std::ptrdiff_t offset = 0;  // from its first byte
    std::size_t bytes = 0;      // its size; 0: not known
  };

  /// A problem as it was met; words come when lines are known.
  struct Found {
    std::string tag, element, extent;
    Access me, other;
    bool write = false, other_write = false;
    std::uint32_t bytes = 0;
    std::int32_t line = 0;  // where the text itself gave one
    std::string text;       // if it stands already
    std::uint64_t count = 1;
  };

  static Checker* active();
  static void run_all(void* self);
  static void on_warp(Block& block, unsigned warp, WarpOp op, std::uint32_t lanes);
  static void on_barrier(Block& block, std::int32_t line);
  static void on_bad_shuffle(
      Block& block, std::int32_t line, unsigned warp, unsigned lane, unsigned source);

  void run_blocks();
  void begin_block();
  void map_shared();
  /// True of the thread's own variables, which no other can see.
  bool is_private(const void* at, const void* frame) const;
  bool is_shared(const void* at) const;
  bool is_inside(const void* at, std::uint32_t bytes, bool shared) const;
  void touch(void* at, std::uint32_t bytes, bool read, bool write, bool atomic, std::uint16_t site);
  void touch_global(const Access& me, void* at, std::uint32_t bytes, bool read, bool write);
  void report_race(const Access& me, const Access& other, bool write, bool other_write, void* at);
  void check_cell(
      Cell& cell, const Access& me, bool read, bool write, std::uint32_t oldest, void* at);
  bool conflict(const Access& earlier, const Access& me, std::uint32_t oldest) const;
  bool warp_ordered(const Access& earlier, const Access& me) const;
  bool in_piece(const void* at, std::uint32_t bytes) const;
  Target target_of(const void* at) const;
  Target shared_target(const void* at) const;
  Target global_target(const void* at) const;
  std::uint16_t site_of(std::uintptr_t key);
  Access access_now(std::uint16_t site, bool atomic) const;

  void found(Found problem, std::uint64_t key);
  void found_at(const char* tag, const Access& me, bool write, std::uint32_t bytes, const void* at);
  SimReport report(const Fault& fault);
  void add_fault(SimReport& report, const Fault& fault) const;
  SimProblem words(const Found& found, const std::vector<std::int32_t>& lines) const;
  std::string thread_name(const Access& access) const;
  std::vector<std::int32_t> site_lines() const;
  /// Counts of each line, or of each array that a line touches.
  std::vector<SimLine> counts_of(const std::vector<std::int32_t>& lines, bool arrays) const;

  CheckedMemory memory_;
  const SimKernel& kernel_;
  Shape shape_;
  void* const* arguments_;
  Order order_ = Order::ascending;
  Block& block_;  // of this host thread: stacks outlive a launch
  Fault fault_;
  Counters counters_;
  std::uint64_t hook_calls_ = 0, accesses_ = 0;

  // Shared memory: one cell a word from `shared_low_` on, and whose each byte is.
  enum class Byte : std::uint8_t { outside, array, prelude };
  std::vector<Cell> shared_cells_;
  std::vector<Byte> shared_bytes_;
  std::uintptr_t shared_low_ = 0, shared_high_ = 0;

  std::uint32_t first_serial_ = 0, serial_ = 0;
  std::uint64_t block_index_ = 0;
  std::vector<std::uint64_t> index_of_serial_;
  std::vector<std::vector<std::uint32_t>> warp_syncs_;  // lanes, since the last barrier

  // Order between blocks by fences and atomics: who released through an address, and whose
  // releases this block has seen.
  std::vector<bool> fenced_;
  std::unordered_map<const void*, std::set<std::uint32_t>> released_;
  std::set<std::uint32_t> acquired_;

  mutable std::array<Arena::Piece, 4> recent_pieces_{};
  mutable unsigned next_recent_ = 0;
  std::array<std::uintptr_t, 8192> site_keys_{};
  std::array<std::uint16_t, 8192> site_numbers_{};
  std::vector<std::uintptr_t> sites_;  // keys; a negative one is a line
  std::map<std::int32_t, std::uint64_t> barrier_lines_;
  std::map<std::uint64_t, Found> problems_;
};

}  // namespace hypatia::sim
