#pragma once
// The engine's one set of threads: splits a range over the cores, each core keeping to its own
// part.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hypatia {

/// Pieces that a thread's part of a range is cut into: enough for others to help out a thread that
/// was descheduled.
inline constexpr int pieces_per_part = 4;

/// Items [first, last).
struct ItemRange {
  std::int64_t first = 0, last = 0;
};

/// Piece `piece` of part `part`, where `parts` threads share `items` evenly: each part begins where
/// the one before it ends, and so do its pieces. Some are empty where items are few.
ItemRange piece_of_part(std::int64_t items, int parts, int part, int piece);

/// Threads that run one range at a time. The caller takes part, so that a pool of one thread has
/// no others. Several threads may call run(): one gets the pool, the rest work on their own.
class Pool {
 public:
  using Body = void (*)(void* context, std::int64_t first, std::int64_t last);

  /// `threads` counts the caller; at least 1.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return threads_; }

  /// Calls body over [0, items) in pieces, several at once where items exceed `grain`, the least
  /// items worth a thread. Returns when all are done; rethrows what a piece threw first, and the
  /// pieces not yet begun are then left out. Inside a piece it runs in place.
  void run(std::int64_t items, std::int64_t grain, Body body, void* context);

  /// The same with a callable `f(first, last)`.
  template <class F>
  void each(std::int64_t items, std::int64_t grain, F&& f) {
    using Callable = std::remove_reference_t<F>;
    run(
        items,
        grain,
        [](void* context, std::int64_t first, std::int64_t last) {
          (*static_cast<Callable*>(context))(first, last);
        },
        &f);
  }

 private:
  // The next unclaimed piece of one thread's part: generation in the high half, piece in the low
  // half, so that a thread that comes late to a finished run can't claim from the next one.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> next{0};
  };

  void serve(int worker);
  void await(std::uint32_t seen);
  void lead(std::uint32_t generation);
  void drain(int worker, std::uint32_t generation);
  bool claim_and_run(int part, std::uint32_t generation);
  void run_piece(int part, int piece);
  void finish(std::int64_t pieces);

  int threads_;
  std::int64_t spin_ns_;
  std::unique_ptr<Part[]> parts_;
  std::vector<std::thread> workers_;

  alignas(64) std::atomic<std::uint32_t> generation_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};

  // The run in progress. A late thread may read these while the next run sets them, hence atomic;
  // its claim then fails by the generation.
  alignas(64) std::atomic<Body> body_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<std::int64_t> items_{0};
  std::atomic<int> active_{0};
  std::atomic<bool> failed_{false};

  alignas(64) std::atomic<std::int64_t> done_{0};

  std::mutex busy_;  // held by the thread whose run this is
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::int64_t idle_cost_ns_ = 0;  // work that sleepers could have shared, since they last woke
  std::int64_t last_end_ns_ = 0;
};

/// The pool of the process, started by its first use: as many threads as the flag `threads` says,
/// or one for each core that the affinity mask and the control group's quota allow. A forked child
/// starts its own. Throws Error for a number of threads below 0 or over 1024.
Pool& pool();

}  // namespace hypatia
