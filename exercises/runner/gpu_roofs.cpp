#include "exercises/runner/gpu_roofs.h"

#include <algorithm>
#include <vector>

namespace hypatia::runner {

namespace {

constexpr std::uint32_t threads = 256;

KernelSource gpu_text() {
  return {
      .dialect = Dialect::cuda_c,
      .name = "roofs",
      .text = R"(
template <class T>
__device__ void multiply_adds(T* kept, int steps) {
  const T a = (T)0.999, b = (T)0.001;
  T x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
  T x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
  for (int s = 0; s < steps; ++s) {
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b);
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b);
  }
  kept[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
}

extern "C" __global__ void f32(float* kept, int steps) { multiply_adds<float>(kept, steps); }

extern "C" __global__ void f64(double* kept, int steps) { multiply_adds<double>(kept, steps); }

extern "C" __global__ void copy_all(float4* to, const float4* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
)",
      .entries = {"f32", "f64", "copy_all"},
      .options = {},
  };
}

class GpuRoofs {
 public:
  GpuRoofs(Device& device, const RoofWork& work)
      : device_(device),
        work_(work),
        queue_(device.make_queue()),
        module_(device.compile(gpu_text())) {}

  double flops(const char* entry, std::size_t element_bytes) {
    const Limits& limits = device_.info().limits;
    const std::uint32_t blocks =
        16U * static_cast<std::uint32_t>(std::max(1, limits.multiprocessors));
    const Ref<Storage> kept = device_.allocate(std::size_t{blocks} * threads * element_bytes);
    void* address = kept->data();
    // Few units for doubles would make the long run longer by so much.
    std::int32_t steps =
        element_bytes == sizeof(float) ? work_.steps : std::max(1, work_.steps / 4);
    void* args[] = {&address, &steps};
    const double count = 2.0 * 8 * steps * blocks * threads;
    const Launch launch{.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .flops = count};
    return count / best([&] { device_.launch(module_->find(entry), launch, args, queue_.get()); });
  }

  /// Of a copy within the device: read and written.
  double memory() {
    const std::int64_t bytes = array_bytes();
    const Ref<Storage> from = device_.allocate(static_cast<std::size_t>(bytes));
    const Ref<Storage> to = device_.allocate(static_cast<std::size_t>(bytes));
    device_.fill(*from, 0, 0, static_cast<std::size_t>(bytes), queue_.get());
    void* to_address = to->data();
    void* from_address = from->data();
    auto n = static_cast<std::int32_t>(bytes / 16);
    void* args[] = {&to_address, &from_address, &n};
    const auto moved = 2.0 * static_cast<double>(bytes);
    const Launch launch{
        .grid = {static_cast<std::uint32_t>(n) / threads, 1, 1},
        .block = {threads, 1, 1},
        .bytes = moved};
    return moved /
           best([&] { device_.launch(module_->find("copy_all"), launch, args, queue_.get()); });
  }

  void link(Limits& limits) {
    const auto bytes = static_cast<std::size_t>(work_.link_bytes);
    const auto size = static_cast<double>(bytes);
    const Ref<Storage> there = device_.allocate(bytes), pinned = device_.allocate_pinned(bytes);
    limits.copy_in_bandwidth =
        size / best([&] { device_.copy_in(*there, 0, pinned->data(), bytes, queue_.get()); });
    limits.copy_out_bandwidth =
        size / best([&] { device_.copy_out(*pinned, 0, *there, 0, bytes, queue_.get()); });
    const std::vector<char> pageable(bytes);
    limits.pageable_bandwidth =
        size / best([&] { device_.copy_in(*there, 0, pageable.data(), bytes, queue_.get()); });
  }

 private:
  /// Far more than the cache holds, whole blocks, and little of the memory.
  std::int64_t array_bytes() const {
    const Limits& limits = device_.info().limits;
    const std::int64_t wanted = std::max(std::int64_t{512} << 20, 8 * limits.cache_bytes);
    const std::int64_t most = std::max(std::int64_t{64} << 20, limits.memory_bytes / 8);
    const std::int64_t bytes = work_.memory_bytes ? work_.memory_bytes : std::min(wanted, most);
    return bytes / (std::int64_t{16} * threads) * (std::int64_t{16} * threads);
  }

  /// Seconds on the device's clock.
  template <class Work>
  double best(const Work& work) {
    double least = 1e9;
    for (int i = 0; i < work_.rounds; ++i) {
      const Ref<Marker> begin = device_.record(queue_.get());
      work();
      const Ref<Marker> end = device_.record(queue_.get());
      least = std::min(least, end->seconds_since(*begin));
    }
    return std::max(least, 1e-9);
  }

  Device& device_;
  const RoofWork& work_;
  Ref<Queue> queue_;
  Ref<Module> module_;
};

}  // namespace

void measure_gpu_roofs(Device& device, const RoofWork& work, Limits& limits) {
  GpuRoofs roofs(device, work);
  limits.f32_flops = roofs.flops("f32", sizeof(float));
  limits.f64_flops = roofs.flops("f64", sizeof(double));
  limits.memory_bandwidth = roofs.memory();
  roofs.link(limits);
}

}  // namespace hypatia::runner
