// The prelude's first part: CUDA's keywords, its vector types and the indices of a thread.
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

const char* const prelude_types = R"cuda(
typedef decltype(sizeof(0)) size_t;
typedef decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr)) ptrdiff_t;
typedef long clock_t;
#define NULL 0
#define __CUDA_ARCH__ 900
#define __HYPATIA_SIM__ 1
#ifdef HYPATIA_CHECKED
// Every access outside of these calls is the kernel's own, and reports itself.
#define HYPATIA_CALL __attribute__((noinline, no_sanitize("thread"))) static
#define __global__ __attribute__((noinline))
// A margin before each shared array, so that one past the end is not another's first.
#define HYPATIA_MARGIN_2(n) thread_local char hyp_margin_##n[1024] __attribute__((used))
#define HYPATIA_MARGIN(n) HYPATIA_MARGIN_2(n)
#define __shared__ HYPATIA_MARGIN(__COUNTER__); thread_local
#else
#define HYPATIA_CALL static inline
#define __global__ inline __attribute__((always_inline))
#define __shared__ thread_local
#endif
#define __device__ __attribute__((visibility("default")))
#define __constant__ __attribute__((visibility("default")))
#define __host__
#define __managed__
#define __restrict __restrict__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

#define HYPATIA_VECTORS(T, name, a2, a4)                                                       \
  struct name##1 { T x; };                                                                     \
  struct __attribute__((aligned(a2))) name##2 { T x, y; };                                     \
  struct name##3 { T x, y, z; };                                                               \
  struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; };                               \
  static inline name##1 make_##name##1(T x) { return {x}; }                                    \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                            \
  static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                    \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
HYPATIA_VECTORS(signed char, char, 2, 4)
HYPATIA_VECTORS(unsigned char, uchar, 2, 4)
HYPATIA_VECTORS(short, short, 4, 8)
HYPATIA_VECTORS(unsigned short, ushort, 4, 8)
HYPATIA_VECTORS(int, int, 8, 16)
HYPATIA_VECTORS(unsigned int, uint, 8, 16)
HYPATIA_VECTORS(long, long, 16, 16)
HYPATIA_VECTORS(unsigned long, ulong, 16, 16)
HYPATIA_VECTORS(long long, longlong, 16, 16)
HYPATIA_VECTORS(unsigned long long, ulonglong, 16, 16)
HYPATIA_VECTORS(float, float, 8, 16)
HYPATIA_VECTORS(double, double, 16, 16)
#undef HYPATIA_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};

static thread_local uint3 hyp_thread_index, hyp_block_index, hyp_block_size, hyp_grid_size;
static thread_local long long hyp_clock;
// Read-only, as on a GPU: a kernel that writes to them doesn't compile.
#define threadIdx (static_cast<const uint3&>(hyp_thread_index))
#define blockIdx (static_cast<const uint3&>(hyp_block_index))
#define blockDim (static_cast<const uint3&>(hyp_block_size))
#define gridDim (static_cast<const uint3&>(hyp_grid_size))
static constexpr int warpSize = 32;

struct hyp_shape { unsigned int grid[3], block[3], shared_bytes; };
struct hyp_hooks {
  int (*barrier)(int line, int kind, int predicate);
  unsigned long (*warp)(int line, int op, unsigned int mask, unsigned long value, int operand);
  void (*fail)(int line, const char* what);
  void (*give_way)();
  void (*access)(void* at, unsigned int bytes, int write, void* from);
  void (*atomic)(void* at, unsigned int bytes, int line);
  void (*fence)();
};
static const hyp_hooks* hyp_simulator;
#define HYPATIA_EXPORT extern "C" __attribute__((visibility("default"), no_sanitize("thread")))
HYPATIA_EXPORT void hyp_bind(const hyp_hooks* hooks) { hyp_simulator = hooks; }

extern "C" {
int printf(const char*, ...) noexcept;
void* memcpy(void*, const void*, size_t) noexcept;
void* memmove(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
}
// The address that threads of this object know its thread-local variables by.
HYPATIA_EXPORT void* hyp_anchor() { return &hyp_thread_index; }
)cuda";

std::string prelude(Build build) {
  return (build == Build::checked ? "#define HYPATIA_CHECKED\n" : "") +
         std::string("#line 1 \"prelude\"\n") + prelude_types +
         (build == Build::checked ? prelude_checked : "") + prelude_math + prelude_threads +
         prelude_launch;
}

}  // namespace hypatia::sim
