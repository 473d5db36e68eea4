// The pool of the process: started late, and started afresh in a forked child.
#include <atomic>
#include <mutex>
#include <pthread.h>

#include "engine/core/cores.h"
#include "engine/device/cpu/pool.h"

namespace hypatia {

namespace {

std::mutex& start_mutex() {
  static std::mutex& instance = *new std::mutex;
  return instance;
}

// Never destroyed: results may be computed while statics are torn down.
std::atomic<Pool*> the_pool{nullptr};

Pool& start() {
  const std::lock_guard lock(start_mutex());
  if (Pool* running = the_pool.load(std::memory_order_acquire)) return *running;
  // A forked child has none of its parent's threads: it forgets the pool and starts its own.
  static const int registered = pthread_atfork(
      [] { start_mutex().lock(); },
      [] { start_mutex().unlock(); },
      [] {
        the_pool.store(nullptr);
        start_mutex().unlock();
      });
  static_cast<void>(registered);
  Pool* pool = new Pool(working_threads());
  the_pool.store(pool, std::memory_order_release);
  return *pool;
}

}  // namespace

Pool& pool() {
  Pool* running = the_pool.load(std::memory_order_acquire);
  return running ? *running : start();
}

}  // namespace hypatia
