#pragma once
// Convolution and its two transposes in CUDA C. Beside the operands' names the texts know, from
// conv.cpp: row_stride, column_stride, row_pad and column_pad; at_once, how many layers of the
// result a thread makes of one element that it reads; threads, of a block.

#include <string_view>

namespace hypatia {

/// z0 (batch, outputs, …): images x0 and filters x1.
inline constexpr std::string_view conv2d_cuda = R"(
  // A thread makes one place of the result for `at_once` filters. Their weights come through shared
  // memory, `chunk` taps at a time: a tap is a place of a filter, and where it looks in an image.
  const int chunk = 32;
  struct Tap {
    index_t at, row, column;
  };
  __shared__ Tap taps[chunk];
  alignas(16) __shared__ z0_t weights[chunk][at_once];  // for loads of 16 bytes
  const index_t outputs = z0_dim1, rows = x0_dim2, columns = x0_dim3;
  const index_t high = x1_dim2, wide = x1_dim3, count = x1_dim1 * high * wide;
  const index_t out_wide = z0_dim3, places = z0_dim2 * z0_dim3;
  const index_t groups = (outputs + at_once - 1) / at_once;
  const index_t first = blockIdx.x % groups * at_once;
  const index_t number = (index_t)(blockIdx.x / groups) * threads + threadIdx.x;
  const index_t image = number / places, place = number % places;
  const index_t top = place / out_wide * row_stride - row_pad;
  const index_t left = place % out_wide * column_stride - column_pad;
  const index_t corner = image * x0_stride0 + top * x0_stride2 + left * x0_stride3;
  z0_t sums[at_once] = {};
  for (index_t begin = 0; begin < count; begin += chunk) {
    __syncthreads();  // the chunk before has been used
    for (int i = threadIdx.x; i < chunk * at_once; i += threads) {
      const index_t tap = begin + i / at_once, output = first + i % at_once;
      if (tap >= count) break;
      const index_t channel = tap / (high * wide), row = tap / wide % high, column = tap % wide;
      // The filter is turned: its last weight meets the image's first element.
      const index_t weight = output * x1_stride0 + channel * x1_stride1 +
                             (high - 1 - row) * x1_stride2 + (wide - 1 - column) * x1_stride3;
      weights[i / at_once][i % at_once] = output < outputs ? x1[weight] : 0;
      if (i % at_once == 0) {
        const index_t at = channel * x0_stride1 + row * x0_stride2 + column * x0_stride3;
        taps[i / at_once] = {at, row, column};
      }
    }
    __syncthreads();
    if (image >= z0_dim0) continue;
    for (int i = 0; i < chunk && begin + i < count; ++i) {
      const index_t row = top + taps[i].row, column = left + taps[i].column;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      const z0_t element = x0[corner + taps[i].at];
      for (int k = 0; k < at_once; ++k)
        sums[k] += element * weights[i][k];
    }
  }
  if (image >= z0_dim0) return;
  for (int k = 0; k < at_once; ++k) {
    if (first + k < outputs) z0[(image * outputs + first + k) * places + place] = sums[k];
  })";

/// z0 (batch, channels, rows, columns): filters x0 and results x1.
inline constexpr std::string_view conv2d_images_cuda = R"(
  // A thread makes one place of the images for `at_once` channels: from each result that it was
  // part of, by the weight it had there. The weights come through shared memory, `chunk` at a time.
  const int chunk = 64;
  struct Tap {
    index_t at, row, column;
  };
  __shared__ Tap taps[chunk];
  alignas(16) __shared__ z0_t weights[chunk][at_once];  // for loads of 16 bytes
  const index_t channels = z0_dim1, out_high = x1_dim2, out_wide = x1_dim3;
  const index_t high = x0_dim2, wide = x0_dim3, count = x0_dim0 * high * wide;
  const index_t columns = z0_dim3, places = z0_dim2 * z0_dim3;
  const index_t groups = (channels + at_once - 1) / at_once;
  const index_t first = blockIdx.x % groups * at_once;
  const index_t number = (index_t)(blockIdx.x / groups) * threads + threadIdx.x;
  const index_t image = number / places, place = number % places;
  const index_t top = place / columns + row_pad, left = place % columns + column_pad;
  z0_t sums[at_once] = {};
  for (index_t begin = 0; begin < count; begin += chunk) {
    __syncthreads();  // the chunk before has been used
    for (int i = threadIdx.x; i < chunk * at_once; i += threads) {
      const index_t tap = begin + i / at_once, channel = first + i % at_once;
      if (tap >= count) break;
      const index_t output = tap / (high * wide), row = tap / wide % high, column = tap % wide;
      // The filter is turned: its last weight meets the image's first element.
      const index_t weight = output * x0_stride0 + channel * x0_stride1 +
                             (high - 1 - row) * x0_stride2 + (wide - 1 - column) * x0_stride3;
      weights[i / at_once][i % at_once] = channel < channels ? x0[weight] : 0;
      if (i % at_once == 0) taps[i / at_once] = {output * (index_t)x1_stride1, row, column};
    }
    __syncthreads();
    if (image >= z0_dim0) continue;
    const int used = count - begin < chunk ? count - begin : chunk;
#pragma unroll 8  // loads go off together, instead of each after the sums of the one before
    for (int i = 0; i < used; ++i) {
      // A filter began at this row and column, if that is a multiple of the strides.
      const index_t row = top - taps[i].row, column = left - taps[i].column;
      const index_t down = row / row_stride, right = column / column_stride;
      const bool began = row >= 0 && row % row_stride == 0 && down < out_high && column >= 0 &&
                         column % column_stride == 0 && right < out_wide;
      const index_t at = image * x1_stride0 + taps[i].at + down * x1_stride2 + right * x1_stride3;
      const z0_t element = began ? x1[at] : 0;
      for (int k = 0; k < at_once; ++k)
        sums[k] = began ? sums[k] + element * weights[i][k] : sums[k];
    }
  }
  if (image >= z0_dim0) return;
  for (int k = 0; k < at_once; ++k) {
    if (first + k < channels) z0[(image * channels + first + k) * places + place] = sums[k];
  })";

/// z0 (outputs, channels, rows, columns): images x0 and results x1.
inline constexpr std::string_view conv2d_filters_cuda = R"(
  // A block makes one place of `at_once` filters: its threads go through all places of the results,
  // and then their sums are joined, always in the same order.
  __shared__ z0_t parts[at_once][threads];
  const index_t outputs = z0_dim0, high = z0_dim2, wide = z0_dim3;
  const index_t rows = x0_dim2, columns = x0_dim3;
  const index_t out_wide = x1_dim3, places = x1_dim2 * x1_dim3;
  const index_t groups = (outputs + at_once - 1) / at_once;
  const index_t first = blockIdx.x % groups * at_once, tap = blockIdx.x / groups;
  const index_t channel = tap / (high * wide);
  // The filter is turned: its last weight meets the image's first element.
  const index_t top = high - 1 - tap / wide % high - row_pad;
  const index_t left = wide - 1 - tap % wide - column_pad;
  z0_t sums[at_once] = {};
#pragma unroll 4  // loads go off together, instead of each after the sums of the one before
  for (index_t i = threadIdx.x; i < x1_dim0 * places; i += threads) {
    const index_t image = i / places, down = i % places / out_wide, right = i % out_wide;
    const index_t row = down * row_stride + top, column = right * column_stride + left;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    const index_t from =
        image * x0_stride0 + channel * x0_stride1 + row * x0_stride2 + column * x0_stride3;
    const z0_t element = inside ? x0[from] : 0;
    const index_t at = image * x1_stride0 + down * x1_stride2 + right * x1_stride3;
    for (int k = 0; k < at_once; ++k) {
      const bool meets = inside && first + k < outputs;
      const z0_t result = meets ? x1[at + (first + k) * x1_stride1] : 0;
      sums[k] = meets ? sums[k] + element * result : sums[k];
    }
  }
  for (int k = 0; k < at_once; ++k)
    parts[k][threadIdx.x] = sums[k];
  __syncthreads();
  // A warp for each filter: every lane adds up its parts, then the lanes join in pairs.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp >= at_once) return;
  z0_t sum = 0;
  for (int i = lane; i < threads; i += 32)
    sum += parts[warp][i];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane > 0 || first + warp >= outputs) return;
  z0[(first + warp) * z0_dim1 * high * wide + tap] = sum;)";

}  // namespace hypatia
