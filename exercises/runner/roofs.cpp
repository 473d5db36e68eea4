// The host's part: vectors of the compiler's own, so that the text needs no header and takes the
// widest that the processor has.
#include "exercises/runner/roofs.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/cores.h"
#include "engine/device/cpu/pool.h"

#include "exercises/runner/gpu_roofs.h"

namespace hypatia::runner {

namespace {

// Ten sums hide the latency of a multiply-add (4 cycles, two a cycle) and fit in 16 registers.
KernelSource host_text() {
  return {
      .dialect = Dialect::host_c,
      .name = "roofs",
      .text = R"(
#if defined(__AVX512F__)
#define VECTOR 64
#elif defined(__AVX__)
#define VECTOR 32
#else
#define VECTOR 16
#endif
typedef float floats __attribute__((vector_size(VECTOR)));
typedef double doubles __attribute__((vector_size(VECTOR)));

void vector_bytes(void* const* args, long first, long last) {
  (void)first, (void)last;
  *(long*)args[0] = VECTOR;
}

#define MULTIPLY_ADDS(entry, type, vector)                                     \
  void entry(void* const* args, long first, long last) {                       \
    const long steps = *(const long*)args[0];                                  \
    volatile type* kept = *(type* const*)args[1];                              \
    const vector a = (vector){} + (type)0.999, b = (vector){} + (type)0.001;   \
    vector x0 = a, x1 = b, x2 = a + b, x3 = a - b, x4 = a + a;                 \
    vector x5 = x0 + x2, x6 = x1 + x3, x7 = x2 + x4, x8 = x3 + x4, x9 = x5;    \
    for (long i = first; i < last; i++)                                        \
      for (long s = 0; s < steps; s++) {                                       \
        x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;    \
        x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;    \
        x8 = x8 * a + b; x9 = x9 * a + b;                                      \
      }                                                                        \
    x0 = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9;                      \
    kept[first] = x0[0];                                                       \
  }

MULTIPLY_ADDS(f32, float, floats)
MULTIPLY_ADDS(f64, double, doubles)

// An item is eight vectors.
void read_all(void* const* args, long first, long last) {
  const floats* x = *(floats* const*)args[0];
  volatile float* kept = *(float* const*)args[1];
  floats s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
  for (long i = first; i < last; i++) {
    s0 += x[8 * i], s1 += x[8 * i + 1], s2 += x[8 * i + 2], s3 += x[8 * i + 3];
    s4 += x[8 * i + 4], s5 += x[8 * i + 5], s6 += x[8 * i + 6], s7 += x[8 * i + 7];
  }
  s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
  kept[first] = s0[0];
}
)",
      .entries = {"vector_bytes", "f32", "f64", "read_all"},
      .options = {"-O3", "-ffp-contract=fast", "-w"},
  };
}

class HostRoofs {
 public:
  HostRoofs(Device& device, const RoofWork& work)
      : device_(device), work_(work), module_(device.compile(host_text())) {
    void* args[] = {&vector_};
    device_.launch(module_->find("vector_bytes"), {}, args, nullptr);
  }

  double flops(const char* entry, int element_bytes) {
    const std::int64_t items = std::int64_t{16} * pool().threads();
    std::vector<double> kept(static_cast<std::size_t>(items));
    double* address = kept.data();
    long steps = work_.steps;
    void* args[] = {&steps, &address};
    const double seconds = best(
        [&] { device_.launch(module_->find(entry), {.items = items, .grain = 1}, args, nullptr); });
    const double lanes = static_cast<double>(vector_) / element_bytes;
    return 2.0 * 10 * lanes * static_cast<double>(steps) * static_cast<double>(items) / seconds;
  }

  /// Of copying or of reading alone, whichever moves more.
  double memory() {
    const std::int64_t bytes = array_bytes();
    const Ref<Storage> from = device_.allocate(static_cast<std::size_t>(bytes));
    const Ref<Storage> to = device_.allocate(static_cast<std::size_t>(bytes));
    const auto each = [&](const auto& piece) {
      pool().each(bytes, std::int64_t{1} << 16, [&](std::int64_t first, std::int64_t last) {
        piece(first, static_cast<std::size_t>(last - first));
      });
    };
    // Pages that were never written are all the same one.
    each([&](std::int64_t at, std::size_t count) { std::memset(bytes_of(*from) + at, 1, count); });
    const auto copy = [&] {
      each([&](std::int64_t at, std::size_t count) {
        std::memcpy(bytes_of(*to) + at, bytes_of(*from) + at, count);
      });
    };
    const auto size = static_cast<double>(bytes);
    return std::max(2 * size / best(copy), size / best([&] { read(*from, bytes); }));
  }

  /// Of each core within 128 KiB of its own.
  double cache() {
    constexpr std::int64_t piece = 64 << 10, repeats = 64;
    const std::int64_t threads = pool().threads();
    const Ref<Storage> storage = device_.allocate(static_cast<std::size_t>(2 * piece * threads));
    char* const all = bytes_of(*storage);
    const double seconds = best([&] {
      pool().each(threads, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          for (std::int64_t j = 0; j < repeats; ++j)
            std::memcpy(all + 2 * i * piece, all + (2 * i + 1) * piece, piece);
        }
      });
    });
    return 2.0 * static_cast<double>(piece * repeats * threads) / seconds;
  }

 private:
  static char* bytes_of(Storage& storage) { return static_cast<char*>(storage.data()); }

  /// Far more than the caches hold, and little of the memory.
  std::int64_t array_bytes() const {
    const std::int64_t wanted = std::max(std::int64_t{256} << 20, 2 * last_cache_bytes());
    const std::int64_t most = std::max(std::int64_t{64} << 20, memory_bytes() / 8);
    const std::int64_t bytes = work_.memory_bytes ? work_.memory_bytes : std::min(wanted, most);
    return bytes >> 12 << 12;
  }

  void read(Storage& from, std::int64_t bytes) {
    const std::int64_t items = bytes / vector_ / 8;
    std::vector<float> kept(static_cast<std::size_t>(items));
    void* x = from.data();
    float* address = kept.data();
    void* args[] = {&x, &address};
    device_.launch(module_->find("read_all"), {.items = items, .grain = 1024}, args, nullptr);
  }

  template <class Work>
  double best(const Work& work) const {
    const std::int64_t start = monotonic_ns();
    std::int64_t least = INT64_MAX;
    for (int i = 0; i < work_.rounds || monotonic_ns() - start < work_.nanoseconds; ++i) {
      const std::int64_t begin = monotonic_ns();
      work();
      least = std::min(least, monotonic_ns() - begin);
    }
    return static_cast<double>(std::max<std::int64_t>(1, least)) * 1e-9;
  }

  Device& device_;
  const RoofWork& work_;
  Ref<Module> module_;
  long vector_ = 16;
};

}  // namespace

DeviceInfo measure_roofs(Device& device, const RoofWork& work) {
  DeviceInfo info = device.info();
  Limits& limits = info.limits;
  if (device.dialect() == Dialect::cuda_c) {
    measure_gpu_roofs(device, work, limits);
    return info;
  }
  HostRoofs roofs(device, work);
  limits.f32_flops = roofs.flops("f32", sizeof(float));
  limits.f64_flops = roofs.flops("f64", sizeof(double));
  limits.memory_bandwidth = roofs.memory();
  limits.cache_bandwidth = roofs.cache();
  return info;
}

}  // namespace hypatia::runner
