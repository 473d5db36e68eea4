#include "engine/device/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <sched.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "engine/trace/clock.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

// Idle threads watch for this long before they sleep: waking one takes up to 50 us, and copies
// come in groups.
constexpr std::int64_t watch_nanoseconds = 200'000;
constexpr std::size_t smallest_chunk = std::size_t{128} << 10U;
constexpr std::size_t page = 4096;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
}

#ifdef __SSE2__
// Stores that go past the caches, since the next reader is the copy engine, and a slot's lines lie
// in some other core's cache: 1.7 times as fast as memcpy for 4 MB. `to` is aligned.
void copy_streaming(char* to, const char* from, std::size_t bytes) {
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from + i);
    auto* target = reinterpret_cast<__m128i*>(to + i);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
}
#else
void copy_streaming(char* to, const char* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

}  // namespace

Staging::Staging(Context& context, StagingPlan plan) : context_(context), plan_(plan) {
  if (plan_.threads <= 0) plan_.threads = std::clamp(usable_cores(), 1, 4);
}

Staging::~Staging() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
  context_.try_use();
  for (const Slot& slot : slots_) {
    if (slot.sequence) context_.driver().synchronize_event(slot.event);
    context_.driver().destroy_event(slot.event);
  }
  if (!slots_.empty()) context_.driver().free_host(slots_[0].memory);
}

void Staging::prepare() {
  if (!slots_.empty()) return;
  std::vector<Slot> ring(plan_.slots);
  void* memory = nullptr;
  context_.check(
      context_.driver().allocate_host(
          &memory, ring.size() * plan_.largest_chunk, CU_MEMHOSTALLOC_PORTABLE),
      "page-locking memory for copies");
  char* next = static_cast<char*>(memory);
  for (Slot& slot : ring) {
    slot.memory = next;
    next += plan_.largest_chunk;
    context_.check(
        context_.driver().create_event(&slot.event, CU_EVENT_DISABLE_TIMING), "making an event");
  }
  slots_ = std::move(ring);
  for (int i = 1; i < plan_.threads; ++i)
    threads_.emplace_back([this] {
      name_this_thread("hypatia copies");
      serve();
    });
}

void Staging::copy_in(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  context_.use();
  if (bytes > plan_.direct) {
    run({true, to, const_cast<char*>(static_cast<const char*>(from)), bytes, 0, 0, stream});
    return;
  }
  context_.check(context_.driver().copy_in(to, from, bytes, stream), "a copy to the device");
}

void Staging::copy_out(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  context_.use();
  if (bytes > plan_.direct) {
    run({false, from, static_cast<char*>(to), bytes, 0, 0, stream});
    return;
  }
  context_.check(context_.driver().copy_out(to, from, bytes, stream), "a copy to the host");
  context_.check(context_.driver().synchronize_stream(stream), "waiting for a copy");
}

void Staging::run(Job job) {
  const std::lock_guard one(one_copy_);
  prepare();
  look_back(job.stream);
  // Some eight chunks at least, so that moving and travelling overlap in small copies too.
  const std::size_t eighth = (job.bytes / 8 + page - 1) / page * page;
  const std::size_t least = std::min(smallest_chunk, plan_.largest_chunk);
  job.chunk = std::clamp(eighth, least, plan_.largest_chunk);
  job.chunks = (job.bytes + job.chunk - 1) / job.chunk;
  job_ = job;
  next_ = 0;
  allowed_ = 0;
  for (Slot& slot : slots_)
    slot.moved.store(0, std::memory_order_relaxed);
  open_ = true;
  ++round_;
  round_.notify_all();

  // The threads leave before the job goes, also when a driver call throws.
  struct Close {
    Staging& staging;

    ~Close() {
      staging.next_ = staging.job_.chunks;
      staging.open_ = false;
      while (staging.inside_.load() > 0)
        std::this_thread::yield();
    }
  } const close{*this};

  job.inwards ? drive_in() : drive_out();
}

void Staging::serve() {
  std::uint32_t seen = 0;
  while (!stop_) {
    ++inside_;
    if (open_) {
      while (next_.load(std::memory_order_relaxed) < job_.chunks)
        move_one();
    }
    --inside_;
    const std::int64_t give_up = now() + watch_nanoseconds;
    while (round_.load(std::memory_order_acquire) == seen && now() < give_up) {
    }
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
  }
}

bool Staging::move_one() {
  std::size_t chunk = next_.load(std::memory_order_relaxed);
  do {
    if (chunk >= allowed_.load(std::memory_order_acquire) || chunk >= job_.chunks) return false;
  } while (!next_.compare_exchange_weak(chunk, chunk + 1, std::memory_order_relaxed));
  move(chunk);
  return true;
}

void Staging::move(std::size_t chunk) {
  Slot& slot = slot_of(chunk);
  char* there = job_.host + chunk * job_.chunk;
  if (job_.inwards) {
    copy_streaming(slot.memory, there, bytes_of(chunk));
  } else {
    std::memcpy(there, slot.memory, bytes_of(chunk));
  }
  slot.moved.store(chunk + 1, std::memory_order_release);
}

void Staging::until_moved(std::size_t chunk) {
  const Slot& slot = slot_of(chunk);
  while (slot.moved.load(std::memory_order_acquire) != chunk + 1)
    move_one();
}

void Staging::await(const Slot& slot) {
  if (slot.sequence <= completed_) return;
  context_.check(context_.driver().synchronize_event(slot.event), "waiting for a copy");
  completed_ = slot.sequence;
}

void Staging::look_back(CUstream stream) {
  if (submitted_ > completed_) {
    const Driver& driver = context_.driver();
    const CUresult result = stream == last_stream_ ? driver.query_event(last_event_)
                                                   : driver.synchronize_event(last_event_);
    if (result == CUDA_SUCCESS) completed_ = submitted_;
  }
  last_stream_ = stream;
}

std::size_t Staging::bytes_of(std::size_t chunk) const {
  return std::min(job_.chunk, job_.bytes - chunk * job_.chunk);
}

void Staging::start(std::size_t chunk) {
  const Driver& driver = context_.driver();
  Slot& slot = slot_of(chunk);
  const CUdeviceptr device = job_.device + chunk * job_.chunk;
  if (job_.inwards) {
    context_.check(
        driver.copy_in(device, slot.memory, bytes_of(chunk), job_.stream), "a copy to the device");
  } else {
    context_.check(
        driver.copy_out(slot.memory, device, bytes_of(chunk), job_.stream), "a copy to the host");
  }
  context_.check(driver.record_event(slot.event, job_.stream), "recording an event");
  slot.sequence = ++submitted_;
  last_event_ = slot.event;
}

// A slot may be filled once the copy that used it last has run; then chunks leave in order. Not
// the whole ring is given out: the copies waited for should be old enough to have run.
void Staging::drive_in() {
  const std::size_t lead = slots_.size() * 3 / 4;
  std::size_t ready = 0;
  for (std::size_t chunk = 0; chunk < job_.chunks; ++chunk) {
    const std::size_t ahead = std::min(job_.chunks, chunk + lead);
    for (; ready < ahead; ++ready) {
      await(slot_of(ready));
      allowed_.store(ready + 1, std::memory_order_release);
    }
    until_moved(chunk);
    start(chunk);
  }
}

// Half the ring travels while the other half is emptied.
void Staging::drive_out() {
  const std::size_t lead = slots_.size() / 2;
  std::size_t started = 0;
  for (std::size_t chunk = 0; chunk < job_.chunks; ++chunk) {
    for (; started < std::min(job_.chunks, chunk + lead); ++started) {
      if (started >= slots_.size()) until_moved(started - slots_.size());
      await(slot_of(started));  // an earlier copy inwards may still read the slot
      start(started);
    }
    await(slot_of(chunk));
    allowed_.store(chunk + 1, std::memory_order_release);
  }
  const std::size_t last = job_.chunks - std::min(job_.chunks, slots_.size());
  for (std::size_t chunk = last; chunk < job_.chunks; ++chunk)
    until_moved(chunk);
}

}  // namespace hypatia
