#pragma once
// Sorting, running sums and products, and search in CUDA C. Beside the operands' names the texts
// know, from order.cpp: length, the elements of a line along the axis, which lie `inner` apart;
// threads, of a block.

#include <string_view>

namespace hypatia {

/// z0: x0 with each line sorted.
inline constexpr std::string_view sort_cuda = R"(
  // A block sorts a line by a network of comparisons: runs of 2, 4, 8, … elements become sorted,
  // each from two of half the length. A line that fits lies in shared memory meanwhile.
  __shared__ z0_t line[in_shared ? length : 1];
  const index_t count = length, step = in_shared ? 1 : inner;
  const index_t first = blockIdx.x / inner * inner * length + blockIdx.x % inner;
  z0_t* const at = in_shared ? line : z0 + first;
  for (index_t i = threadIdx.x; i < count; i += threads)
    at[i * step] = x0[first + i * inner];
  for (index_t run = 2; run < 2 * count; run *= 2) {
    for (index_t apart = run / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (index_t i = threadIdx.x; i < count; i += threads) {
        // The second half is met from its end at first, so that the smaller one always goes first.
        const index_t other = apart == run / 2 ? i ^ (run - 1) : i ^ apart;
        if (other < i || other >= count) continue;
        const z0_t a = at[i * step], b = at[other * step];
        if (!(b < a || (a != a && b == b))) continue;
        at[i * step] = b;
        at[other * step] = a;
      }
    }
  }
  if (!in_shared) return;
  __syncthreads();
  for (index_t i = threadIdx.x; i < count; i += threads)
    z0[first + i * inner] = line[i];)";

/// z0: the places that sort each line of x0.
inline constexpr std::string_view argsort_cuda = R"(
  // As sorting, of places by the elements there: equal ones go by their places, so that they keep
  // their order.
  __shared__ z0_t line[in_shared ? length : 1];
  const index_t count = length, step = in_shared ? 1 : inner;
  const index_t first = blockIdx.x / inner * inner * length + blockIdx.x % inner;
  z0_t* const at = in_shared ? line : z0 + first;
  for (index_t i = threadIdx.x; i < count; i += threads)
    at[i * step] = i;
  for (index_t run = 2; run < 2 * count; run *= 2) {
    for (index_t apart = run / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (index_t i = threadIdx.x; i < count; i += threads) {
        const index_t other = apart == run / 2 ? i ^ (run - 1) : i ^ apart;
        if (other < i || other >= count) continue;
        const z0_t p = at[i * step], q = at[other * step];
        const x0_t a = x0[first + p * inner], b = x0[first + q * inner];
        const bool before = b < a || (a != a && b == b), after = a < b || (b != b && a == a);
        if (!before && (after || p < q)) continue;
        at[i * step] = q;
        at[other * step] = p;
      }
    }
  }
  if (!in_shared) return;
  __syncthreads();
  for (index_t i = threadIdx.x; i < count; i += threads)
    z0[first + i * inner] = line[i];)";

/// z0: running sums of x0, or products where `multiplies` is 1.
inline constexpr std::string_view running_cuda = R"(
  // A block goes along a line, a part of `threads` elements at a time: in each part a thread's
  // element takes in what stands 1, 2, 4, … places before it, and then all parts before.
  __shared__ z0_t part[threads];
  const index_t count = length, first = blockIdx.x / inner * inner * length + blockIdx.x % inner;
  z0_t before = multiplies;
  for (index_t begin = 0; begin < count; begin += threads) {
    const index_t i = begin + threadIdx.x;
    z0_t own = i < count ? (z0_t)x0[first + i * inner] : (z0_t)multiplies;
    part[threadIdx.x] = own;
    __syncthreads();
    for (int apart = 1; apart < threads; apart *= 2) {
      if (threadIdx.x >= apart) {
        const z0_t other = part[threadIdx.x - apart];
        own = multiplies ? other * own : other + own;
      }
      __syncthreads();
      part[threadIdx.x] = own;
      __syncthreads();
    }
    if (i < count) z0[first + i * inner] = multiplies ? before * own : before + own;
    const z0_t all = part[threads - 1];
    before = multiplies ? before * all : before + all;
    __syncthreads();
  })";

/// z0: for each value of x1 its place in the sorted vector x0; after equal ones if `right` is 1.
inline constexpr std::string_view searchsorted_cuda = R"(
  const index_t n = (index_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= z0_size) return;
  const x1_t value = x1[n];
  index_t low = 0, high = x0_size;  // the place is one of these or between them
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    const x0_t element = x0[middle];
    const bool before = element < value || (value != value && element == element);
    const bool after = value < element || (element != element && value == value);
    if (right ? !after : before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  z0[n] = low;)";

}  // namespace hypatia
