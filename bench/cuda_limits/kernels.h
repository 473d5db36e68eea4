#pragma once
// The limits' kernels, as CUDA C text for NVRTC.

#include "engine/device/kernel.h"

namespace hypatia::limits {

inline KernelSource kernels() {
  return {
      Dialect::cuda_c,
      "limits",
      R"(
extern "C" __global__ void empty() {}

extern "C" __global__ void spin(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) { }
}

extern "C" __global__ void exp_float(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i]);
}

extern "C" __global__ void exp_float4(float4* y, const float4* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  y[i] = make_float4(expf(v.x), expf(v.y), expf(v.z), expf(v.w));
}

extern "C" __global__ void exp_double(double* y, const double* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp(x[i]);
}

__device__ float warp_sum(float v) {
  for (int step = 16; step > 0; step >>= 1) v += __shfl_xor_sync(0xffffffffu, v, step);
  return v;
}

// d[row] = sigmoid(x[row]·w + b) - y[row], over the rows; one warp a row.
extern "C" __global__ void forward_warp(
    float* d, const float4* x, const float4* w, const float* b, const float* y,
    int rows, int quads) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < quads; i += 32) {
    float4 p = x[row * quads + i], q = w[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  sum = warp_sum(sum);
  if (lane == 0) d[row] = (1 / (1 + expf(-sum - b[0])) - y[row]) / rows;
}

// The same, one block of 128 threads a row.
extern "C" __global__ void forward_block(
    float* d, const float4* x, const float4* w, const float* b, const float* y,
    int rows, int quads) {
  __shared__ float parts[4];
  int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < quads; i += 128) {
    float4 p = x[row * quads + i], q = w[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  sum = parts[0] + parts[1] + parts[2] + parts[3];
  d[row] = (1 / (1 + expf(-sum - b[0])) - y[row]) / rows;
}

// w -= rate·(xᵀ·d + decay·w), b -= rate·sum(d); COLUMNS columns a block, the rows split over y.
template <int COLUMNS, int PARTS>
__device__ void backward(
    float* w, float* b, const float* x, const float* d, int rows, int columns,
    float rate, float decay) {
  __shared__ float parts[PARTS][COLUMNS + 1];
  int column = blockIdx.x * COLUMNS + threadIdx.x;
  float sum = 0;
  if (column < columns)
    for (int row = threadIdx.y; row < rows; row += PARTS) sum += x[row * columns + column] * d[row];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int half = PARTS / 2; half > 0; half /= 2) {
    if (threadIdx.y < half)
      parts[threadIdx.y][threadIdx.x] += parts[threadIdx.y + half][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.y == 0 && column < columns)
    w[column] -= rate * (parts[0][threadIdx.x] + decay * w[column]);
  if (blockIdx.x == 0) {
    int thread = threadIdx.y * COLUMNS + threadIdx.x;
    if (thread < 32) {
      float all = 0;
      for (int row = thread; row < rows; row += 32) all += d[row];
      all = warp_sum(all);
      if (thread == 0) b[0] -= rate * all;
    }
  }
}

extern "C" __global__ void backward_8x64(
    float* w, float* b, const float* x, const float* d, int rows, int columns,
    float rate, float decay) {
  backward<8, 64>(w, b, x, d, rows, columns, rate, decay);
}

extern "C" __global__ void backward_16x32(
    float* w, float* b, const float* x, const float* d, int rows, int columns,
    float rate, float decay) {
  backward<16, 32>(w, b, x, d, rows, columns, rate, decay);
}
)",
      {
          "empty",
          "spin",
          "exp_float",
          "exp_float4",
          "exp_double",
          "forward_warp",
          "forward_block",
          "backward_8x64",
          "backward_16x32",
      },
      {},
  };
}

}  // namespace hypatia::limits
