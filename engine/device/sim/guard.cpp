// A handler on a stack of its own, so that a fiber's full stack is reported like the rest; it
// jumps back to where the work was started.
#include "engine/device/sim/guard.h"

#include <array>
#include <csetjmp>
#include <cstdint>
#include <mutex>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "engine/device/sim/lines.h"

namespace hypatia::sim {

namespace {

struct Crash {
  sigjmp_buf back;
  volatile int signal = 0;
  void* volatile address = nullptr;
  Fibers* fibers = nullptr;
};

thread_local Crash* active_crash = nullptr;
std::array<struct sigaction, 65> previous;

void jump_back() {
  if (Block::running()) active_crash->fibers->before_abandon();
  siglongjmp(active_crash->back, 1);
}

/// Ends the handler in the ordinary way, to go on in jump_back() on the handler's own stack: the
/// fiber's may be full.
void leave_by_jump(void* context) {
#if defined(__x86_64__) && defined(__linux__)
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  const auto top = reinterpret_cast<std::uintptr_t>(stack.ss_sp) + stack.ss_size;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>(top / 16 * 16 - 8);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&jump_back));
#else
  static_cast<void>(context);
  jump_back();
#endif
}

void handle(int number, siginfo_t* info, void* context) {
  if (Crash* crash = active_crash) {
    crash->signal = number;
    crash->address = info->si_addr;
    return leave_by_jump(context);
  }
  const struct sigaction& before = previous[static_cast<std::size_t>(number)];
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    // Returning repeats the instruction, now with the default action.
    signal(number, SIG_DFL);
  }
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    // Not blocked while it runs: it leaves by a jump.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      sigaction(number, &action, &previous[static_cast<std::size_t>(number)]);
  });
}

/// The stack on which this thread's handler runs.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return;
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t mine{};
    mine.ss_sp = memory_;
    mine.ss_size = bytes;
    sigaltstack(&mine, nullptr);
  }

  ~HandlerStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    unmap_stack(memory_, bytes);
  }

  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  void* memory_ = MAP_FAILED;
};

Fault fault_of(const Crash& crash, const Fibers& fibers) {
  Fault fault;
  if (crash.signal == SIGFPE) {
    fault.tag = "division";
    fault.what = "an integer was divided by zero; a GPU gives an undefined number there";
  } else if (fibers.is_guard(crash.address)) {
    fault.tag = "stack";
    fault.what = "a thread needs more than its " + std::to_string(stack_bytes >> 10) +
                 " KiB of local memory";
  } else {
    fault.tag = "memory";
    fault.what = "an illegal memory access was encountered at address " +
                 address_text(reinterpret_cast<std::uintptr_t>(crash.address));
  }
  return fault;
}

}  // namespace

Fault guarded(void (*work)(void* context), void* context, Fibers& fibers) {
  install();
  thread_local HandlerStack stack;
  Crash crash;
  crash.fibers = &fibers;
  Crash* const outer = active_crash;
  if (sigsetjmp(crash.back, 0) == 0) {
    active_crash = &crash;
    work(context);
    active_crash = outer;
    return {};
  }
  active_crash = outer;
  if (Block::running()) fibers.abandon();
  return fault_of(crash, fibers);
}

}  // namespace hypatia::sim
