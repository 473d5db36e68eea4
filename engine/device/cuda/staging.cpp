#include "engine/device/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

#include "engine/core/error.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

// Idle threads watch for this long before they sleep: waking one costs up to 50 us, and copies
// come in groups.
constexpr std::int64_t watch_nanoseconds = 50'000;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
}

}  // namespace

Staging::Staging(Context& context, StagingPlan plan) : context_(context), plan_(plan) {
  if (plan_.threads <= 0) plan_.threads = std::clamp(usable_cores(), 1, 4);
}

Staging::~Staging() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ++round_;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
  context_.try_use();
  for (const Slot& slot : slots_) {
    context_.driver().destroy_event(slot.event);
    context_.driver().free_host(slot.memory);
  }
}

void Staging::prepare() {
  if (!slots_.empty()) return;
  const auto workers = static_cast<std::size_t>(plan_.threads);
  std::vector<Slot> slots(workers * slots_each);
  for (Slot& slot : slots) {
    void* memory = nullptr;
    context_.check(
        context_.driver().allocate_host(&memory, plan_.chunk, CU_MEMHOSTALLOC_PORTABLE),
        "page-locking memory for copies");
    slot.memory = static_cast<char*>(memory);
    context_.check(
        context_.driver().create_event(&slot.event, CU_EVENT_DISABLE_TIMING), "making an event");
  }
  slots_ = std::move(slots);
  for (std::size_t worker = 1; worker < workers; ++worker)
    threads_.emplace_back([this, worker] { serve(worker); });
}

void Staging::copy_in(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  context_.use();
  if (bytes <= plan_.direct) {
    context_.check(context_.driver().copy_in(to, from, bytes, stream), "a copy to the device");
    return;
  }
  run({true, to, const_cast<char*>(static_cast<const char*>(from)), bytes, 0, stream});
}

void Staging::copy_out(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  context_.use();
  if (bytes > plan_.direct) {
    run({false, from, static_cast<char*>(to), bytes, 0, stream});
    return;
  }
  context_.check(context_.driver().copy_out(to, from, bytes, stream), "a copy to the host");
  context_.check(context_.driver().synchronize_stream(stream), "waiting for a copy");
}

void Staging::run(const Job& job) {
  const std::lock_guard one(one_copy_);
  prepare();
  job_ = job;
  job_.chunks = (job.bytes + plan_.chunk - 1) / plan_.chunk;
  next_ = 0;
  failure_ = nullptr;
  busy_ = threads_.size();
  {
    const std::lock_guard lock(mutex_);
    round_.fetch_add(1, std::memory_order_release);
  }
  changed_.notify_all();
  work(0);
  while (busy_.load(std::memory_order_acquire) > 0)
    std::this_thread::yield();
  if (failure_) std::rethrow_exception(failure_);
}

void Staging::serve(std::size_t worker) {
  std::uint64_t seen = 0;
  for (;;) {
    const std::int64_t give_up = now() + watch_nanoseconds;
    while (round_.load(std::memory_order_acquire) == seen && now() < give_up) {
    }
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != seen; });
      seen = round_.load(std::memory_order_acquire);
    }
    if (stop_) return;
    work(worker);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

void Staging::work(std::size_t worker) {
  try {
    context_.use();
    if (!job_.inwards) {
      copy_chunks_out(worker);
      return;
    }
    std::size_t turn = 0;
    for (std::size_t chunk = next_++; chunk < job_.chunks; chunk = next_++) {
      Slot& slot = slots_[worker * slots_each + turn++ % slots_each];
      copy_chunk_in(slot, chunk * plan_.chunk, bytes_of(chunk));
    }
  } catch (...) {
    next_ = job_.chunks;
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

std::size_t Staging::bytes_of(std::size_t chunk) const {
  return std::min(plan_.chunk, job_.bytes - chunk * plan_.chunk);
}

void Staging::copy_chunk_in(Slot& slot, std::size_t first, std::size_t bytes) {
  const Driver& driver = context_.driver();
  if (slot.used) context_.check(driver.synchronize_event(slot.event), "waiting for a copy");
  std::memcpy(slot.memory, job_.host + first, bytes);
  context_.check(
      driver.copy_in(job_.device + first, slot.memory, bytes, job_.stream), "a copy to the device");
  context_.check(driver.record_event(slot.event, job_.stream), "recording an event");
  slot.used = true;
}

// Each thread keeps one chunk travelling while it empties the one that came before.
void Staging::copy_chunks_out(std::size_t worker) {
  Slot* const slots = &slots_[worker * slots_each];
  std::size_t turn = 0;
  std::size_t earlier = next_++;
  if (earlier >= job_.chunks) return;
  start_chunk_out(slots[0], earlier);
  for (;;) {
    const std::size_t chunk = next_++;
    if (chunk < job_.chunks) start_chunk_out(slots[(turn + 1) % slots_each], chunk);
    finish_chunk_out(slots[turn % slots_each], earlier);
    if (chunk >= job_.chunks) return;
    earlier = chunk;
    ++turn;
  }
}

void Staging::start_chunk_out(Slot& slot, std::size_t chunk) {
  const Driver& driver = context_.driver();
  // An earlier copy to the device may still read the slot; a stream of its own order needs no wait.
  if (slot.used) context_.check(driver.synchronize_event(slot.event), "waiting for a copy");
  context_.check(
      driver.copy_out(slot.memory, job_.device + chunk * plan_.chunk, bytes_of(chunk), job_.stream),
      "a copy to the host");
  context_.check(driver.record_event(slot.event, job_.stream), "recording an event");
  slot.used = true;
}

void Staging::finish_chunk_out(Slot& slot, std::size_t chunk) {
  context_.check(context_.driver().synchronize_event(slot.event), "waiting for a copy");
  std::memcpy(job_.host + chunk * plan_.chunk, slot.memory, bytes_of(chunk));
}

}  // namespace hypatia
