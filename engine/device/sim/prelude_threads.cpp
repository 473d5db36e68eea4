// The prelude's third part: what threads do together: barriers, warps, atomics.
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

const char* const prelude_threads = R"cuda(
#define HYPATIA_LINE int line = __builtin_LINE()
// Other threads run while one waits, so each keeps its index on its own stack.
HYPATIA_CALL int hyp_barrier(int line, int kind, int predicate) {
  const uint3 me = hyp_thread_index;
  const int result = hyp_simulator->barrier(line, kind, predicate);
  hyp_thread_index = me;
  return result;
}
HYPATIA_CALL unsigned long hyp_warp(
    int line, int op, unsigned int mask, unsigned long value, int operand) {
  const uint3 me = hyp_thread_index;
  const unsigned long result = hyp_simulator->warp(line, op, mask, value, operand);
  hyp_thread_index = me;
  return result;
}
HYPATIA_CALL void hyp_give_way() {
  const uint3 me = hyp_thread_index;
  hyp_simulator->give_way();
  hyp_thread_index = me;
}
HYPATIA_CALL void hyp_fail(int line, const char* what) { hyp_simulator->fail(line, what); }
static inline void __syncthreads(HYPATIA_LINE) { hyp_barrier(line, 0, 0); }
static inline int __syncthreads_count(int p, HYPATIA_LINE) { return hyp_barrier(line, 1, p != 0); }
static inline int __syncthreads_and(int p, HYPATIA_LINE) { return hyp_barrier(line, 2, p != 0); }
static inline int __syncthreads_or(int p, HYPATIA_LINE) { return hyp_barrier(line, 3, p != 0); }
static inline void __syncwarp(unsigned int mask = 0xffffffffu, HYPATIA_LINE) {
  hyp_warp(line, 0, mask, 0, 0);
}
#ifdef HYPATIA_CHECKED
HYPATIA_CALL void hyp_fence() { hyp_simulator->fence(); }
#else
static inline void hyp_fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
static inline void __threadfence() { hyp_fence(); }
static inline void __threadfence_block() { hyp_fence(); }
static inline void __threadfence_system() { hyp_fence(); }

static inline int hyp_lane() {
  const unsigned int linear =
      (hyp_thread_index.z * hyp_block_size.y + hyp_thread_index.y) * hyp_block_size.x +
      hyp_thread_index.x;
  return static_cast<int>(linear & 31u);
}
template <class T> static inline unsigned long hyp_pack(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> static inline T hyp_shuffle(int line, unsigned int mask, T value, int source) {
  const unsigned long bits = hyp_warp(line, 1, mask, hyp_pack(value), source);
  T result;
  __builtin_memcpy(&result, &bits, sizeof(T));
  return result;
}
template <class T> static inline T __shfl_sync(
    unsigned int mask, T value, int source, int width = 32, HYPATIA_LINE) {
  const int lane = hyp_lane(), base = lane & ~(width - 1);
  return hyp_shuffle(line, mask, value, base + (source & (width - 1)));
}
template <class T> static inline T __shfl_up_sync(
    unsigned int mask, T value, unsigned int delta, int width = 32, HYPATIA_LINE) {
  const int lane = hyp_lane(), base = lane & ~(width - 1);
  const int source = lane - static_cast<int>(delta);
  return hyp_shuffle(line, mask, value, source < base ? lane : source);
}
template <class T> static inline T __shfl_down_sync(
    unsigned int mask, T value, unsigned int delta, int width = 32, HYPATIA_LINE) {
  const int lane = hyp_lane(), end = (lane & ~(width - 1)) + width;
  const int source = lane + static_cast<int>(delta);
  return hyp_shuffle(line, mask, value, source >= end ? lane : source);
}
template <class T> static inline T __shfl_xor_sync(
    unsigned int mask, T value, int lanes, int width = 32, HYPATIA_LINE) {
  const int lane = hyp_lane(), end = (lane & ~(width - 1)) + width, source = lane ^ lanes;
  return hyp_shuffle(line, mask, value, source >= end ? lane : source);
}
static inline unsigned int __ballot_sync(unsigned int mask, int predicate, HYPATIA_LINE) {
  return static_cast<unsigned int>(hyp_warp(line, 2, mask, predicate != 0, 0));
}
static inline int __any_sync(unsigned int mask, int predicate, HYPATIA_LINE) {
  return hyp_warp(line, 2, mask, predicate != 0, 0) != 0;
}
static inline int __all_sync(unsigned int mask, int predicate, HYPATIA_LINE) {
  return hyp_warp(line, 2, mask, predicate == 0, 0) == 0;
}
static inline unsigned int __activemask(HYPATIA_LINE) {
  return static_cast<unsigned int>(hyp_warp(line, 14, 0, 0, 0));
}
template <class T> static inline unsigned int __match_any_sync(
    unsigned int mask, T value, HYPATIA_LINE) {
  return static_cast<unsigned int>(hyp_warp(line, 3, mask, hyp_pack(value), 0));
}
template <class T> static inline unsigned int __match_all_sync(
    unsigned int mask, T value, int* all, HYPATIA_LINE) {
  const unsigned int same = static_cast<unsigned int>(hyp_warp(line, 4, mask, hyp_pack(value), 0));
  *all = same != 0;
  return same;
}
#define HYPATIA_REDUCE(name, T, op)                                                            \
  static inline T name(unsigned int mask, T value, HYPATIA_LINE) {                             \
    return static_cast<T>(hyp_warp(line, op, mask, hyp_pack(value), 0));                       \
  }
HYPATIA_REDUCE(__reduce_add_sync, int, 5)
HYPATIA_REDUCE(__reduce_min_sync, int, 6)
HYPATIA_REDUCE(__reduce_max_sync, int, 7)
HYPATIA_REDUCE(__reduce_add_sync, unsigned int, 8)
HYPATIA_REDUCE(__reduce_min_sync, unsigned int, 9)
HYPATIA_REDUCE(__reduce_max_sync, unsigned int, 10)
HYPATIA_REDUCE(__reduce_and_sync, unsigned int, 11)
HYPATIA_REDUCE(__reduce_or_sync, unsigned int, 12)
HYPATIA_REDUCE(__reduce_xor_sync, unsigned int, 13)
#undef HYPATIA_REDUCE

// Atomics: one compare-and-swap loop serves every type and operation. In checked objects nothing
// else runs at the same time.
#ifdef HYPATIA_CHECKED
template <class T, class F> HYPATIA_CALL T hyp_atomic(T* at, int line, F change) {
  hyp_simulator->atomic(at, sizeof(T), line);
  const T seen = *at;
  *at = change(seen);
  return seen;
}
#else
template <class T, class F> static inline T hyp_atomic(T* at, int, F change) {
  T seen;
  __atomic_load(at, &seen, __ATOMIC_RELAXED);
  for (;;) {
    T wanted = change(seen);
    if (__atomic_compare_exchange(at, &seen, &wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      return seen;
    }
  }
}
#endif
#define HYPATIA_ATOMIC(name, T, result)                                                        \
  static inline T name(T* at, T v, HYPATIA_LINE) {                                             \
    return hyp_atomic(at, line, [v](T x) { return static_cast<T>(result); });                  \
  }
#define HYPATIA_ATOMICS(T) HYPATIA_ATOMIC(atomicExch, T, v) HYPATIA_ATOMIC(atomicAdd, T, x + v)
#define HYPATIA_ATOMICS_INTEGER(T)                                                             \
  HYPATIA_ATOMICS(T)                                                                           \
  HYPATIA_ATOMIC(atomicSub, T, x - v)                                                          \
  HYPATIA_ATOMIC(atomicAnd, T, x & v)                                                          \
  HYPATIA_ATOMIC(atomicOr, T, x | v)                                                           \
  HYPATIA_ATOMIC(atomicXor, T, x ^ v)                                                          \
  HYPATIA_ATOMIC(atomicMin, T, x < v ? x : v)                                                  \
  HYPATIA_ATOMIC(atomicMax, T, x > v ? x : v)                                                  \
  static inline T atomicCAS(T* at, T compare, T v, HYPATIA_LINE) {                             \
    const T seen = hyp_atomic(at, line, [=](T x) { return x == compare ? v : x; });            \
    if (seen != compare) hyp_give_way();                                                       \
    return seen;                                                                               \
  }
HYPATIA_ATOMICS_INTEGER(int)
HYPATIA_ATOMICS_INTEGER(unsigned int)
HYPATIA_ATOMICS_INTEGER(long long)
HYPATIA_ATOMICS_INTEGER(unsigned long long)
HYPATIA_ATOMICS(float)
HYPATIA_ATOMICS(double)
HYPATIA_ATOMIC(atomicInc, unsigned int, x >= v ? 0u : x + 1u)
HYPATIA_ATOMIC(atomicDec, unsigned int, x == 0u || x > v ? v : x - 1u)
#undef HYPATIA_ATOMICS_INTEGER
#undef HYPATIA_ATOMICS
#undef HYPATIA_ATOMIC
template <class T> static inline T __ldg(const T* at) { return *at; }
template <class T> static inline T __ldcg(const T* at) { return *at; }
template <class T> static inline T __ldcs(const T* at) { return *at; }
template <class T> static inline void __stcg(T* at, T v) { *at = v; }
template <class T> static inline void __stcs(T* at, T v) { *at = v; }
static inline long long clock64() { return hyp_clock += 32; }
static inline clock_t clock() { return static_cast<clock_t>(clock64()); }
static inline void __nanosleep(unsigned int) { hyp_give_way(); }
static inline void __trap(HYPATIA_LINE) { hyp_fail(line, "__trap() was called"); }
#define assert(condition)                                                                      \
  ((condition) ? static_cast<void>(0)                                                          \
               : hyp_fail(__LINE__, "assertion failed: " #condition))
#undef HYPATIA_LINE
)cuda";

}  // namespace hypatia::sim
