// A test program that crashes says where, for those who have nothing but its output: addresses in
// the program, for addr2line. Sanitizers say it better.
#include <array>
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

namespace hypatia::tests {

namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void tell(int number) {
  std::array<void*, 64> stack{};
  const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
  backtrace_symbols_fd(stack.data(), depth, STDOUT_FILENO);
  signal(number, SIG_DFL);  // whoever else listens, too
  raise(number);
}

[[maybe_unused]] const bool listens = [] {
  std::array<void*, 1> first{};
  backtrace(first.data(), 1);  // loads what it needs while all is well
  struct sigaction action {};
  action.sa_handler = tell;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(number, &action, nullptr);
  return true;
}();
#endif

}  // namespace

}  // namespace hypatia::tests
