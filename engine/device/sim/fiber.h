#pragma once
// Stacks of their own for the threads of a block, and the switch between them.

#include <cstddef>
#include <vector>

namespace hypatia::sim {

/// Bytes that a simulated thread has for its local arrays; only touched pages take memory.
inline constexpr std::size_t stack_bytes = std::size_t{256} << 10;

/// Gives a stack back to the system. Sanitizers forget the frames that were left on it.
void unmap_stack(void* base, std::size_t bytes);

/// Guarded stacks of one host thread's fibers, and the fibers on them. One runs at a time: resume()
/// leaves the host thread's own stack, suspend() comes back to it.
class Fibers {
 public:
  using Body = void (*)(void* context, unsigned fiber);

  Fibers() = default;
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Sets `count` fibers to the start of `body(context, fiber)`; what they did before is forgotten.
  /// Throws Error of kind memory if there is no room for their stacks.
  void start(unsigned count, Body body, void* context);
  /// Runs a fiber until it suspends or its body returns.
  void resume(unsigned fiber);
  /// On a fiber: goes back to whoever resumed it.
  void suspend();

  /// The high end of the running fiber's stack.
  const char* top() const { return tops_[running_]; }

  /// True if `address` lies in the page below a fiber's stack: it needed more than it has.
  bool is_guard(const void* address) const;
  /// For the handler of faults: the fiber that runs will never be resumed; called before the jump
  /// that leaves it, and after.
  void before_abandon();
  void abandon();

 private:
  static void enter();
  void grow(unsigned count);

  struct Slab {
    char* base;
    unsigned first, count;
  };

  std::vector<Slab> slabs_;
  std::vector<char*> tops_;       // the high end of each stack
  std::vector<void*> suspended_;  // each fiber's stack pointer while it doesn't run
  void* host_ = nullptr;
  unsigned running_ = 0;
  Body body_ = nullptr;
  void* context_ = nullptr;
  void* host_fake_ = nullptr;  // the address sanitizer's view of the host thread's stack
  const void* host_bottom_ = nullptr;
  std::size_t host_size_ = 0;
  void* host_thread_ = nullptr;  // the thread sanitizer's fibers
  std::vector<void*> threads_;
};

}  // namespace hypatia::sim
