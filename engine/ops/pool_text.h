#pragma once
// Pooling in CUDA C, a thread for each element of the result. Beside the operands' names the texts
// know, from pool.cpp: window_rows and window_columns, row_stride and column_stride.

#include <string_view>

namespace hypatia {

/// z0: of each window of x0 the largest element.
inline constexpr std::string_view pool_max_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const index_t channels = z0_dim1, rows = z0_dim2, columns = z0_dim3;
  const index_t row = n / columns % rows * row_stride, column = n % columns * column_stride;
  const index_t corner = n / (columns * rows * channels) * x0_stride0 +
                         n / (columns * rows) % channels * x0_stride1 + row * x0_stride2 +
                         column * x0_stride3;
  x0_t best = x0[corner];
  for (int r = 0; r < window_rows; ++r) {
    for (int c = 0; c < window_columns; ++c) {
      const x0_t element = x0[corner + r * x0_stride2 + c * x0_stride3];
      // Nothing is larger than a NaN.
      if (best == best && (element > best || element != element)) best = element;
    }
  }
  z0[n] = best;)";

/// z0: of each window the element of x1 where x0 is largest.
inline constexpr std::string_view pool_pick_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const index_t channels = z0_dim1, rows = z0_dim2, columns = z0_dim3;
  const index_t row = n / columns % rows * row_stride, column = n % columns * column_stride;
  const index_t channel = n / (columns * rows) % channels, image = n / (columns * rows * channels);
  const index_t corner =
      image * x0_stride0 + channel * x0_stride1 + row * x0_stride2 + column * x0_stride3;
  const index_t corner1 =
      image * x1_stride0 + channel * x1_stride1 + row * x1_stride2 + column * x1_stride3;
  x0_t best = x0[corner];
  index_t picked = corner1;
  for (int r = 0; r < window_rows; ++r) {
    for (int c = 0; c < window_columns; ++c) {
      const x0_t element = x0[corner + r * x0_stride2 + c * x0_stride3];
      // Nothing is larger than a NaN.
      if (best != best || !(element > best || element != element)) continue;
      best = element;
      picked = corner1 + r * x1_stride2 + c * x1_stride3;
    }
  }
  z0[n] = x1[picked];)";

/// z0: for each element of x0 the sum of x1 over the windows where it is the largest.
inline constexpr std::string_view pool_spread_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const index_t channels = z0_dim1, rows = z0_dim2, columns = z0_dim3;
  const index_t row = n / columns % rows, column = n % columns;
  const index_t channel = n / (columns * rows) % channels, image = n / (columns * rows * channels);
  const index_t layer = image * x0_stride0 + channel * x0_stride1;
  const x0_t own = x0[layer + row * x0_stride2 + column * x0_stride3];
  // The first window that reaches down to this row, or right to this column.
  const index_t first = row < window_rows ? 0 : (row - window_rows) / row_stride + 1;
  const index_t left = column < window_columns ? 0 : (column - window_columns) / column_stride + 1;
  z0_t sum = 0;
  for (index_t r = first; r < x1_dim2 && r * row_stride <= row; ++r) {
    for (index_t c = left; c < x1_dim3 && c * column_stride <= column; ++c) {
      const index_t corner = layer + r * row_stride * x0_stride2 + c * column_stride * x0_stride3;
      const index_t place = (row - r * row_stride) * window_columns + column - c * column_stride;
      bool largest = true;
      for (index_t i = 0; i < window_rows * window_columns && largest; ++i) {
        const x0_t other =
            x0[corner + i / window_columns * x0_stride2 + i % window_columns * x0_stride3];
        // The first of equal ones counts as the largest, and the first NaN before all others.
        if (i < place) largest = !(other >= own || other != other);
        if (i > place) largest = !(other > own || (other != other && own == own));
      }
      if (largest) {
        sum += x1
            [image * x1_stride0 + channel * x1_stride1 + r * x1_stride2 + c * x1_stride3];
      }
    }
  }
  z0[n] = sum;)";

/// z0: of each window of x0 the mean.
inline constexpr std::string_view pool_mean_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const index_t channels = z0_dim1, rows = z0_dim2, columns = z0_dim3;
  const index_t row = n / columns % rows * row_stride, column = n % columns * column_stride;
  const index_t corner = n / (columns * rows * channels) * x0_stride0 +
                         n / (columns * rows) % channels * x0_stride1 + row * x0_stride2 +
                         column * x0_stride3;
  z0_t sum = 0;
  for (int r = 0; r < window_rows; ++r) {
    for (int c = 0; c < window_columns; ++c)
      sum += x0[corner + r * x0_stride2 + c * x0_stride3];
  }
  z0[n] = sum / (z0_t)(window_rows * window_columns);)";

/// z0: for each element of an image its share of x0 from the windows that hold it.
inline constexpr std::string_view pool_mean_spread_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const index_t channels = z0_dim1, rows = z0_dim2, columns = z0_dim3;
  const index_t row = n / columns % rows, column = n % columns;
  const index_t channel = n / (columns * rows) % channels, image = n / (columns * rows * channels);
  // The first window that reaches down to this row, or right to this column.
  const index_t first = row < window_rows ? 0 : (row - window_rows) / row_stride + 1;
  const index_t left = column < window_columns ? 0 : (column - window_columns) / column_stride + 1;
  z0_t sum = 0;
  for (index_t r = first; r < x0_dim2 && r * row_stride <= row; ++r) {
    for (index_t c = left; c < x0_dim3 && c * column_stride <= column; ++c) {
      const z0_t value = x0
          [image * x0_stride0 + channel * x0_stride1 + r * x0_stride2 + c * x0_stride3];
      sum += value / (z0_t)(window_rows * window_columns);
    }
  }
  z0[n] = sum;)";

}  // namespace hypatia
