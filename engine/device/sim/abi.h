#pragma once
// What a compiled kernel object and the simulator know of each other. The prelude declares the same
// structs in the kernel's language; change both together.

#include <cstdint>

namespace hypatia::sim {

/// Fast code, or code whose every load and store reports itself to the checker.
enum class Build : std::uint8_t { fast, checked };

/// A launch's shape, as a kernel's entry reads it.
struct Shape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
};

/// What lanes of a warp can do together; the values are the prelude's.
enum class WarpOp : std::int32_t {
  sync,
  shuffle,  // operand: the source lane
  ballot,
  match_any,
  match_all,
  add_signed,
  min_signed,
  max_signed,
  add_unsigned,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
  active,  // __activemask: the lanes that have come here
};

/// How a barrier answers: nothing, the count of true predicates, whether all or any were true.
enum class BarrierKind : std::int32_t { plain, count, all, any };

/// The calls that a kernel makes into the simulator. `line` is the line of the user's text.
struct Hooks {
  std::int32_t (*barrier)(std::int32_t line, BarrierKind kind, std::int32_t predicate);
  std::uint64_t (*warp)(
      std::int32_t line, WarpOp op, std::uint32_t mask, std::uint64_t value, std::int32_t operand);
  void (*fail)(std::int32_t line, const char* what);
  /// Lets other threads of the block run, where one spins on an atomic.
  void (*give_way)();
  /// From checked objects only: a load or store of the instruction before `from`, an atomic
  /// operation, and a fence.
  void (*access)(void* at, std::uint32_t bytes, std::int32_t write, void* from);
  void (*atomic)(void* at, std::uint32_t bytes, std::int32_t line);
  void (*fence)();
};

/// Runs blocks [first, last) of a kernel that needs no co-operation of its threads.
using LoopEntry =
    void (*)(const Shape* shape, std::uint64_t first, std::uint64_t last, void* const* arguments);
/// Runs one thread of one block.
using ThreadEntry = void (*)(
    const Shape* shape,
    const std::uint32_t* block,
    const std::uint32_t* thread,
    void* const* arguments);

/// One parameter of a kernel.
struct Parameter {
  std::uint32_t bytes;
  std::uint32_t is_pointer;
};

/// What a kernel object exports for each entry, as `hyp_entry_<name>`.
struct EntryTable {
  LoopEntry loop;      // null if its threads co-operate
  ThreadEntry thread;  // null if they don't
  std::uint32_t parameter_count;
  const Parameter* parameters;
};

}  // namespace hypatia::sim
