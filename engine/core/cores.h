#pragma once
// What the processor is, how many of its cores are ours, and its cheapest waiting and clock.

#include <cstdint>
#include <string>

namespace hypatia {

/// Cores that this process may use: its affinity mask, within the control group's quota.
int usable_cores();

/// Threads that share work: the flag `threads`, or one a usable core. Throws Error where the flag
/// is out of range.
int working_threads();

/// The model's name, "AMD EPYC 9554"; "unknown processor" where the system doesn't say.
std::string cpu_model();

/// A text that differs wherever code made with -march=native may differ.
std::string cpu_identity();

/// True of processors (and systems) with these vector units.
bool has_avx2();
bool has_avx512();

/// Bytes of the last-level cache, of a core's own (second-level) and of the memory, 0 if unknown.
std::int64_t last_cache_bytes();
std::int64_t core_cache_bytes();
std::int64_t memory_bytes();

/// Nanoseconds on CLOCK_MONOTONIC.
std::int64_t monotonic_ns();

/// Tells the core that this thread is spinning.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace hypatia
