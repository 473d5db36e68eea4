// Kernels whose memory accesses are known by heart, launched once each, so that the simulator's
// counts can be held against a GPU's counters: HYPATIA_FLAGS=device=sim or device=cuda says where.
#include <cstdint>
#include <cstdio>
#include <hypatia/kernels.h>

using namespace hypatia;
using namespace hypatia::cuda;

namespace {

const char* const text = R"(
__global__ void neighbours(float* y, const float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__global__ void shifted(float* y, const float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + 1];
}

__global__ void every_eighth(float* y, const float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[8 * i];
}

__global__ void doubles(double* y, const double* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__global__ void half_warps(float* y, const float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 16) y[i] = x[i];
}

// A 32x32 tile a block, read down its columns: all lanes of a warp in one bank.
__global__ void transposed(float* y, const float* x) {
  __shared__ float tile[32][32];
  x += blockIdx.x * 1024;
  y += blockIdx.x * 1024;
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// The same with a column more, so that each lane has a bank of its own.
__global__ void transposed_padded(float* y, const float* x) {
  __shared__ float tile[32][33];
  x += blockIdx.x * 1024;
  y += blockIdx.x * 1024;
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void two_to_a_bank(float* y, const float* x) {
  __shared__ float values[512];
  values[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  values[threadIdx.x + 256] = 0;
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = values[2 * threadIdx.x];
}

__global__ void block_sums(float* y, const float* x) {
  __shared__ float parts[256];
  parts[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = parts[0];
}

__global__ void histogram(int* bins, const int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[x[i]], 1);
}
)";

constexpr std::int64_t blocks = 16, threads = 256, count = blocks * threads;

}  // namespace

int main() {
  const Module module(text);
  const Array x = Array::ones(DType::float32, {8 * count + 1});
  const Array wide = Array::ones(DType::float64, {count});
  Array y = Array::zeros(DType::float32, {count});
  Array wide_y = Array::zeros(DType::float64, {count});
  for (const char* name : {"neighbours", "shifted", "every_eighth", "half_warps"})
    module.function(name)({blocks}, {threads}, InOut(y), In(x));
  module.function("doubles")({blocks}, {threads}, InOut(wide_y), In(wide));
  for (const char* name : {"transposed", "transposed_padded"})
    module.function(name)({count / 1024}, {32, 32}, InOut(y), In(x));
  for (const char* name : {"two_to_a_bank", "block_sums"})
    module.function(name)({blocks}, {threads}, InOut(y), In(x));
  Array bins = Array::zeros(DType::int32, {64});
  Array places = Array::zeros(DType::int32, {count});
  for (std::int64_t i = 0; i < count; ++i)
    places.data<std::int32_t>()[i] = static_cast<std::int32_t>(i * 7 % 64);
  module.function("histogram")({blocks}, {threads}, InOut(bins), In(places));
  std::printf("%.0f %.0f\n", bins.at({0}), y.at({0}));
  return 0;
}
