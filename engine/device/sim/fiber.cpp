// The switch saves what the calling convention lets a callee keep. On x86-64 that is six registers
// and the stack pointer; elsewhere ucontext does it.
#include "engine/device/sim/fiber.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "engine/core/error.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HYPATIA_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define HYPATIA_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HYPATIA_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define HYPATIA_TSAN
#endif
#ifdef HYPATIA_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HYPATIA_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
// void hypatia_switch_stack(void** save, void* load)
asm(R"(
.text
.p2align 4
.globl hypatia_switch_stack
.hidden hypatia_switch_stack
.type hypatia_switch_stack,@function
hypatia_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size hypatia_switch_stack,.-hypatia_switch_stack
)");
extern "C" void hypatia_switch_stack(void** save, void* load);
#else
#include <ucontext.h>
#endif

namespace hypatia::sim {

namespace {

constexpr std::size_t guard_bytes = std::size_t{16} << 10;
constexpr std::size_t stride = stack_bytes + guard_bytes;
[[maybe_unused]] constexpr std::size_t usable_stack = stack_bytes - (std::size_t{12} << 10);

thread_local Fibers* current = nullptr;

#if defined(__x86_64__)
void switch_stack(void** save, void* load) {
  hypatia_switch_stack(save, load);
}

/// A frame from which the switch "returns" into `entry` with the stack aligned as after a call.
void* first_frame(char* top, void (*entry)()) {
  void** frame = reinterpret_cast<void**>(top) - 8;
  std::memset(frame, 0, 8 * sizeof(void*));
  frame[6] = reinterpret_cast<void*>(entry);
  return frame;
}

#else
// A suspended context lives on the stack that it describes.
void switch_stack(void** save, void* load) {
  ucontext_t here;
  *save = &here;
  swapcontext(&here, static_cast<ucontext_t*>(load));
}

void* first_frame(char* top, void (*entry)()) {
  constexpr std::size_t room = (sizeof(ucontext_t) + 63) / 64 * 64;
  auto* context = new (top - room) ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = top - usable_stack;
  context->uc_stack.ss_size = usable_stack - room;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}
#endif

}  // namespace

void unmap_stack(void* base, std::size_t bytes) {
#ifdef HYPATIA_ASAN
  ASAN_UNPOISON_MEMORY_REGION(base, bytes);
#endif
  munmap(base, bytes);
}

Fibers::~Fibers() {
  for (const Slab& slab : slabs_)
    unmap_stack(slab.base, slab.count * stride);
#ifdef HYPATIA_TSAN
  for (void* thread : threads_)
    __tsan_destroy_fiber(thread);
#endif
}

void Fibers::grow(unsigned count) {
  const unsigned first = static_cast<unsigned>(tops_.size());
  if (count <= first) return;
  const unsigned more = count - first;
  void* base = mmap(
      nullptr,
      more * stride,
      PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
      -1,
      0);
  if (base == MAP_FAILED) {
    throw Error(
        Error::Kind::memory,
        "the host has no room for the stacks of " + std::to_string(count) + " simulated threads",
        "use smaller blocks, or raise the limit on address space (ulimit -v)");
  }
  slabs_.push_back({static_cast<char*>(base), first, more});
  for (unsigned i = 0; i < more; ++i) {
    char* low = static_cast<char*>(base) + i * stride;
    mprotect(low, guard_bytes, PROT_NONE);
    // Tops at one distance from each other would share a few sets of the caches.
    constexpr std::size_t colours = 61, colour_bytes = 192;
    tops_.push_back(low + stride - (first + i) % colours * colour_bytes);
  }
  suspended_.resize(count, nullptr);
#ifdef HYPATIA_TSAN
  while (threads_.size() < count)
    threads_.push_back(__tsan_create_fiber(0));
#endif
}

void Fibers::start(unsigned count, Body body, void* context) {
  grow(count);
  body_ = body;
  context_ = context;
  for (unsigned i = 0; i < count; ++i)
    suspended_[i] = first_frame(tops_[i], &Fibers::enter);
}

// The first function on a fiber's stack; it must not return.
void Fibers::enter() {
  Fibers* self = current;
#ifdef HYPATIA_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->host_bottom_, &self->host_size_);
#endif
  self->body_(self->context_, self->running_);
  self->suspend();
  __builtin_unreachable();
}

void Fibers::resume(unsigned fiber) {
  current = this;
  running_ = fiber;
  void* frame = suspended_[fiber];
#ifdef HYPATIA_ASAN
  __sanitizer_start_switch_fiber(&host_fake_, tops_[fiber] - usable_stack, usable_stack);
#endif
#ifdef HYPATIA_TSAN
  host_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(threads_[fiber], 0);
#endif
  switch_stack(&host_, frame);
#ifdef HYPATIA_ASAN
  __sanitizer_finish_switch_fiber(host_fake_, nullptr, nullptr);
#endif
}

void Fibers::suspend() {
#ifdef HYPATIA_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, host_bottom_, host_size_);
#endif
#ifdef HYPATIA_TSAN
  __tsan_switch_to_fiber(host_thread_, 0);
#endif
  switch_stack(&suspended_[running_], host_);
#ifdef HYPATIA_ASAN
  __sanitizer_finish_switch_fiber(fake, &host_bottom_, &host_size_);
#endif
}

bool Fibers::is_guard(const void* address) const {
  const char* at = static_cast<const char*>(address);
  for (const Slab& slab : slabs_) {
    if (at < slab.base || at >= slab.base + slab.count * stride) continue;
    return static_cast<std::size_t>(at - slab.base) % stride < guard_bytes;
  }
  return false;
}

void Fibers::abandon() {
#ifdef HYPATIA_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, host_bottom_, host_size_);
  __sanitizer_finish_switch_fiber(host_fake_, nullptr, nullptr);
#endif
  if (running_ < suspended_.size()) suspended_[running_] = nullptr;
}

void Fibers::before_abandon() {
#ifdef HYPATIA_TSAN
  __tsan_switch_to_fiber(host_thread_, 0);
#endif
}

}  // namespace hypatia::sim
