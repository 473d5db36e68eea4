// The prelude's last part: templates that take a kernel's parameters from its own type and run its
// threads, so that nothing has to parse its signature.
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

const char* const prelude_launch = R"cuda(
struct hyp_parameter { unsigned int bytes, is_pointer; };
struct hyp_entry {
  void (*loop)(const hyp_shape*, unsigned long, unsigned long, void* const*);
  void (*thread)(const hyp_shape*, const unsigned int*, const unsigned int*, void* const*);
  unsigned int parameter_count;
  const hyp_parameter* parameters;
};
template <size_t... I> struct hyp_indices {};
template <size_t N, size_t... I> struct hyp_count : hyp_count<N - 1, N - 1, I...> {};
template <size_t... I> struct hyp_count<0, I...> { typedef hyp_indices<I...> type; };
template <class T> struct hyp_is_pointer { static constexpr unsigned int value = 0; };
template <class T> struct hyp_is_pointer<T*> { static constexpr unsigned int value = 1; };

template <auto Kernel, class... A> static inline void hyp_blocks(
    const hyp_shape* shape, unsigned long first, unsigned long last, A... a) {
  const unsigned int grid_x = shape->grid[0], grid_y = shape->grid[1];
  const unsigned int size_x = shape->block[0], size_y = shape->block[1], size_z = shape->block[2];
  hyp_grid_size = {grid_x, grid_y, shape->grid[2]};
  hyp_block_size = {size_x, size_y, size_z};
  // The launch has checked both bounds; they let the compiler see that i = base + thread doesn't
  // wrap, so that it can vectorise the loop.
  if (size_x == 0 || size_x > 1024) __builtin_unreachable();
  for (unsigned long block = first; block < last; ++block) {
    hyp_block_index = {
        static_cast<unsigned int>(block % grid_x),
        static_cast<unsigned int>(block / grid_x % grid_y),
        static_cast<unsigned int>(block / grid_x / grid_y)};
    const unsigned int base = blockIdx.x * blockDim.x;
    if (base > 0x7ffff000u) __builtin_unreachable();
    for (unsigned int z = 0; z < size_z; ++z) {
      hyp_thread_index.z = z;
      for (unsigned int y = 0; y < size_y; ++y) {
        hyp_thread_index.y = y;
        for (unsigned int x = 0; x < size_x; ++x) {
          hyp_thread_index.x = x;
          Kernel(a...);
        }
      }
    }
  }
}
template <auto Kernel, class F, class I> struct hyp_runner;
template <auto Kernel, class... A, size_t... I>
struct hyp_runner<Kernel, void (*)(A...), hyp_indices<I...>> {
  static void loop(
      const hyp_shape* shape, unsigned long first, unsigned long last, void* const* arguments) {
    hyp_blocks<Kernel, A...>(shape, first, last, *static_cast<A*>(arguments[I])...);
  }
  HYPATIA_CALL void thread(
      const hyp_shape* shape,
      const unsigned int* block,
      const unsigned int* thread,
      void* const* arguments) {
    hyp_grid_size = {shape->grid[0], shape->grid[1], shape->grid[2]};
    hyp_block_size = {shape->block[0], shape->block[1], shape->block[2]};
    hyp_block_index = {block[0], block[1], block[2]};
    hyp_thread_index = {thread[0], thread[1], thread[2]};
    Kernel(*static_cast<A*>(arguments[I])...);
  }
  static constexpr hyp_parameter parameters[] = {
      {static_cast<unsigned int>(sizeof(A)), hyp_is_pointer<A>::value}..., {0, 0}};
};
template <class F> struct hyp_arity;
template <class... A> struct hyp_arity<void (*)(A...)> {
  static constexpr size_t value = sizeof...(A);
  typedef typename hyp_count<sizeof...(A)>::type indices;
};
#define HYPATIA_ENTRY(kernel, loop_entry, thread_entry)                                        \
  using hyp_run_##kernel =                                                                     \
      hyp_runner<kernel, decltype(&kernel), hyp_arity<decltype(&kernel)>::indices>;            \
  extern "C" __attribute__((visibility("default"))) const hyp_entry hyp_entry_##kernel = {     \
      loop_entry, thread_entry, hyp_arity<decltype(&kernel)>::value,                           \
      hyp_run_##kernel::parameters};
#define HYPATIA_LOOP(kernel) HYPATIA_ENTRY(kernel, &hyp_run_##kernel::loop, nullptr)
#define HYPATIA_THREADS(kernel) HYPATIA_ENTRY(kernel, nullptr, &hyp_run_##kernel::thread)
)cuda";

}  // namespace hypatia::sim
