// Claiming of pieces by an atomic counter per thread, and when idle threads spin, sleep and wake.
#include "engine/device/cpu/pool.h"

#include <algorithm>
#include <utility>

#include "engine/core/cores.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

// An idle thread spins for about as long as waking it would take.
constexpr std::int64_t spin_time_ns = 200'000;
// Waking costs the caller a system call and is answered after 70 to 180 microseconds. Sleepers are
// woken once they have missed that much work: then at most twice the best possible time was spent.
constexpr std::int64_t wake_cost_ns = 150'000;

thread_local bool inside_run = false;

struct InsideRun {
  InsideRun() { inside_run = true; }

  ~InsideRun() { inside_run = false; }
};

}  // namespace

ItemRange piece_of_part(std::int64_t items, int parts, int part, int piece) {
  // Pieces of at least this many items start at multiples of 64, whole cache lines of any dtype.
  constexpr std::int64_t aligned_from = 1024, line = 64;
  const bool aligned = items / parts / pieces_per_part >= aligned_from;
  const auto border = [&](std::int64_t at) {
    if (at == parts) return items;
    const std::int64_t even = items * at / parts;
    return aligned ? even / line * line : even;
  };
  const std::int64_t begin = border(part), end = border(part + 1);
  std::int64_t step = (end - begin + pieces_per_part - 1) / pieces_per_part;
  if (aligned) step = (step + line - 1) / line * line;
  return {std::min(begin + piece * step, end), std::min(begin + (piece + 1) * step, end)};
}

Pool::Pool(int threads)
    : threads_(std::max(1, threads)),
      // With more threads than cores a spinning thread keeps a working one off its core.
      spin_ns_(threads <= usable_cores() ? spin_time_ns : 0),
      parts_(new Part[static_cast<std::size_t>(threads_)]) {
  workers_.reserve(static_cast<std::size_t>(threads_ - 1));
  for (int worker = 1; worker < threads_; ++worker)
    workers_.emplace_back([this, worker] {
      name_this_thread("hypatia cpu " + std::to_string(worker));
      serve(worker);
    });
}

Pool::~Pool() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_)
    worker.join();
}

void Pool::run(std::int64_t items, std::int64_t grain, Body body, void* context) {
  const std::int64_t least = std::max<std::int64_t>(grain, 1);
  const std::int64_t active = std::min<std::int64_t>(threads_, (items + least - 1) / least);
  if (active <= 1 || inside_run || !busy_.try_lock()) {
    if (items > 0) body(context, 0, items);
    return;
  }
  const std::lock_guard lock(busy_, std::adopt_lock);
  const InsideRun inside;
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed) + 1;
  body_.store(body, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  items_.store(items, std::memory_order_relaxed);
  active_.store(static_cast<int>(active), std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  for (std::int64_t part = 0; part < active; ++part)
    parts_[static_cast<std::size_t>(part)].next.store(
        std::uint64_t{generation} << 32, std::memory_order_relaxed);
  // Publishes the run; sequentially consistent, so that a thread about to sleep either sees it or
  // is seen in sleepers_.
  generation_.store(generation);
  lead(generation);
  finish(active * pieces_per_part);
}

/// The caller's share of the work, and the decision to wake sleepers.
void Pool::lead(std::uint32_t generation) {
  if (sleepers_.load() > 0) {
    const std::int64_t start = monotonic_ns();
    if (start - last_end_ns_ > 2 * spin_time_ns) idle_cost_ns_ = 0;
    claim_and_run(0, generation);
    const std::int64_t took = monotonic_ns() - start;
    idle_cost_ns_ += took * active_.load(std::memory_order_relaxed) * pieces_per_part;
    if (idle_cost_ns_ > wake_cost_ns) {
      idle_cost_ns_ = 0;
      generation_.notify_all();
    }
    drain(0, generation);
    last_end_ns_ = monotonic_ns();
  } else {
    drain(0, generation);
  }
}

/// Waits for the pieces that others still run, then reports what failed.
void Pool::finish(std::int64_t pieces) {
  for (int spins = 0; done_.load(std::memory_order_acquire) != pieces; ++spins) {
    if (spins < 2000) {
      pause_core();
    } else {
      std::this_thread::yield();
    }
  }
  if (failed_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(failure_mutex_);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

/// One's own part first, from the cache that holds it since the last run; then everybody else's.
void Pool::drain(int worker, std::uint32_t generation) {
  const int active = active_.load(std::memory_order_relaxed);
  if (worker >= active) return;
  for (int offset = 0; offset < active; ++offset) {
    const int part = (worker + offset) % active;
    while (claim_and_run(part, generation)) {
    }
  }
}

bool Pool::claim_and_run(int part, std::uint32_t generation) {
  std::atomic<std::uint64_t>& next = parts_[static_cast<std::size_t>(part)].next;
  std::uint64_t seen = next.load(std::memory_order_acquire);
  do {
    const bool of_this_run = static_cast<std::uint32_t>(seen >> 32) == generation;
    if (!of_this_run || (seen & 0xffffffffU) >= static_cast<std::uint64_t>(pieces_per_part)) {
      return false;
    }
  } while (!next.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel));
  run_piece(part, static_cast<int>(seen & 0xffffffffU));
  return true;
}

void Pool::run_piece(int part, int piece) {
  const auto [first, last] = piece_of_part(
      items_.load(std::memory_order_relaxed), active_.load(std::memory_order_relaxed), part, piece);
  if (first < last && !failed_.load(std::memory_order_relaxed)) {
    try {
      body_.load(std::memory_order_relaxed)(context_.load(std::memory_order_relaxed), first, last);
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  done_.fetch_add(1, std::memory_order_release);
}

void Pool::serve(int worker) {
  inside_run = true;
  std::uint32_t seen = 0;
  for (;;) {
    await(seen);
    if (stop_.load(std::memory_order_relaxed)) return;
    seen = generation_.load(std::memory_order_acquire);
    drain(worker, seen);
  }
}

/// Returns once the generation differs from `seen`: spins, then sleeps.
void Pool::await(std::uint32_t seen) {
  const std::int64_t until = monotonic_ns() + spin_ns_;
  do {
    for (int spins = 0; spins < 64; ++spins) {
      if (generation_.load(std::memory_order_acquire) != seen) return;
      pause_core();
    }
  } while (monotonic_ns() < until);
  sleepers_.fetch_add(1);
  generation_.wait(seen);
  sleepers_.fetch_sub(1);
}

}  // namespace hypatia
