// What stands between the prelude's types and the rest in a checked object: the functions that the
// compiler's thread sanitizer instrumentation calls. They are hidden in the object, so that a
// program that is itself built with that sanitizer keeps its own.
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

const char* const prelude_checked = R"cuda(
#define HYPATIA_HOOK                                                                           \
  extern "C" __attribute__((visibility("hidden"), used, noinline, no_sanitize("thread"))) void
#define HYPATIA_ACCESS(name, bytes, write)                                                     \
  HYPATIA_HOOK name(void* at) {                                                                \
    hyp_simulator->access(at, bytes, write, __builtin_return_address(0));                      \
  }
#define HYPATIA_ACCESSES(bytes)                                                                \
  HYPATIA_ACCESS(__tsan_read##bytes, bytes, 0)                                                 \
  HYPATIA_ACCESS(__tsan_write##bytes, bytes, 1)                                                \
  HYPATIA_ACCESS(__tsan_unaligned_read##bytes, bytes, 0)                                       \
  HYPATIA_ACCESS(__tsan_unaligned_write##bytes, bytes, 1)                                      \
  HYPATIA_ACCESS(__tsan_volatile_read##bytes, bytes, 0)                                        \
  HYPATIA_ACCESS(__tsan_volatile_write##bytes, bytes, 1)
HYPATIA_ACCESSES(1)
HYPATIA_ACCESSES(2)
HYPATIA_ACCESSES(4)
HYPATIA_ACCESSES(8)
HYPATIA_ACCESSES(16)
HYPATIA_HOOK __tsan_read_range(void* at, size_t bytes) {
  hyp_simulator->access(at, static_cast<unsigned int>(bytes), 0, __builtin_return_address(0));
}
HYPATIA_HOOK __tsan_write_range(void* at, size_t bytes) {
  hyp_simulator->access(at, static_cast<unsigned int>(bytes), 1, __builtin_return_address(0));
}
HYPATIA_HOOK __tsan_vptr_update(void**, void*) {}
HYPATIA_HOOK __tsan_vptr_read(void**) {}
HYPATIA_HOOK __tsan_func_entry(void*) {}
HYPATIA_HOOK __tsan_func_exit() {}
HYPATIA_HOOK __tsan_init() {}
// Copies of whole blocks are the C library's work, so they report themselves here.
HYPATIA_CALL void* hyp_memcpy(void* to, const void* from, size_t bytes) {
  void* const caller = __builtin_return_address(0);
  hyp_simulator->access(const_cast<void*>(from), static_cast<unsigned int>(bytes), 0, caller);
  hyp_simulator->access(to, static_cast<unsigned int>(bytes), 1, caller);
  return __builtin_memmove(to, from, bytes);
}
HYPATIA_CALL void* hyp_memset(void* to, int value, size_t bytes) {
  hyp_simulator->access(to, static_cast<unsigned int>(bytes), 1, __builtin_return_address(0));
  return __builtin_memset(to, value, bytes);
}
#define memcpy hyp_memcpy
#define memmove hyp_memcpy
#define memset hyp_memset
#undef HYPATIA_ACCESSES
#undef HYPATIA_ACCESS
#undef HYPATIA_HOOK
)cuda";

}  // namespace hypatia::sim
