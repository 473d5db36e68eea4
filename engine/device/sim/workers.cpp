#include "engine/device/sim/workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace hypatia::sim {

namespace {

// Stacks of fibers cost two mappings each, of which the kernel allows 65,530 a process.
constexpr unsigned most_threads = 12;

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

class Workers {
 public:
  Workers() {
    const unsigned threads = std::min(usable_cores(), most_threads);
    for (unsigned i = 1; i < threads; ++i)
      std::thread([this] { serve(); }).detach();
    helpers_ = threads - 1;
  }

  unsigned threads() const { return helpers_ + 1; }

  void run(
      std::uint64_t count,
      std::uint64_t grain,
      void (*work)(void*, std::uint64_t, std::uint64_t),
      void* context) {
    const std::lock_guard one(caller_);
    {
      const std::lock_guard lock(mutex_);
      work_ = work;
      context_ = context;
      count_ = count;
      grain_ = grain;
      next_.store(0, std::memory_order_relaxed);
      busy_ = helpers_;
      ++round_;
    }
    start_.notify_all();
    take();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void take() {
    for (;;) {
      const std::uint64_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
      if (first >= count_) return;
      work_(context_, first, std::min(first + grain_, count_));
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
      }
      take();
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex caller_, mutex_;
  std::condition_variable start_, done_;
  std::atomic<std::uint64_t> next_{0};
  void (*work_)(void*, std::uint64_t, std::uint64_t) = nullptr;
  void* context_ = nullptr;
  std::uint64_t count_ = 0, grain_ = 1, round_ = 0;
  unsigned helpers_ = 0, busy_ = 0;
};

// Never destroyed: its threads outlive main.
Workers& workers() {
  static Workers& instance = *new Workers;
  return instance;
}

}  // namespace

void share_out(
    std::uint64_t count,
    std::uint64_t grain,
    void (*work)(void* context, std::uint64_t first, std::uint64_t last),
    void* context) {
  if (count <= grain || workers().threads() == 1) return work(context, 0, count);
  workers().run(count, grain, work, context);
}

}  // namespace hypatia::sim
