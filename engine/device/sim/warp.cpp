#include "engine/device/sim/warp.h"

#include <algorithm>

namespace hypatia::sim {

namespace {

std::uint64_t combine(WarpOp op, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  const auto i = static_cast<std::int32_t>(x), j = static_cast<std::int32_t>(y);
  switch (op) {
    case WarpOp::add_signed:
    case WarpOp::add_unsigned:
      return x + y;
    case WarpOp::min_signed:
      return static_cast<std::uint32_t>(std::min(i, j));
    case WarpOp::max_signed:
      return static_cast<std::uint32_t>(std::max(i, j));
    case WarpOp::min_unsigned:
      return std::min(x, y);
    case WarpOp::max_unsigned:
      return std::max(x, y);
    case WarpOp::bit_and:
      return x & y;
    case WarpOp::bit_or:
      return x | y;
    case WarpOp::bit_xor:
      return x ^ y;
    default:
      return 0;
  }
}

std::uint64_t reduce(WarpOp op, const Lanes& lanes) {
  const auto first = static_cast<unsigned>(__builtin_ctz(lanes.mask));
  std::uint64_t total = lanes.value[first];
  for (unsigned i = first + 1; i < 32; ++i) {
    if (lanes.mask >> i & 1U) total = combine(op, total, lanes.value[i]);
  }
  return total;
}

/// The lanes that brought the value of lane `i`.
std::uint32_t equal_to(const Lanes& lanes, unsigned i) {
  std::uint32_t same = 0;
  for (unsigned j = 0; j < 32; ++j)
    same |= std::uint32_t{(lanes.mask >> j & 1U) && lanes.value[j] == lanes.value[i]} << j;
  return same;
}

std::uint32_t ballot(const Lanes& lanes) {
  std::uint32_t yes = 0;
  for (unsigned j = 0; j < 32; ++j)
    yes |= std::uint32_t{(lanes.mask >> j & 1U) && lanes.value[j] != 0} << j;
  return yes;
}

std::uint64_t result_of(WarpOp op, const Lanes& lanes, unsigned lane) {
  const auto source = static_cast<unsigned>(lanes.operand[lane]) & 31U;
  switch (op) {
    case WarpOp::sync:
      return 0;
    case WarpOp::shuffle:
      return lanes.value[lanes.mask >> source & 1U ? source : lane];
    case WarpOp::match_any:
      return equal_to(lanes, lane);
    case WarpOp::match_all:
      return equal_to(lanes, lane) == lanes.mask ? lanes.mask : 0;
    case WarpOp::ballot:
      return ballot(lanes);
    case WarpOp::active:
      return lanes.mask;
    default:
      return reduce(op, lanes);
  }
}

}  // namespace

void Lanes::run(WarpOp op) {
  // What all lanes get alike is computed once.
  const bool each = op == WarpOp::shuffle || op == WarpOp::match_any || op == WarpOp::match_all;
  const auto first = static_cast<unsigned>(__builtin_ctz(mask));
  const std::uint64_t all = each ? 0 : result_of(op, *this, first);
  for (unsigned i = 0; i < 32; ++i) {
    if (mask >> i & 1U) result[i] = each ? result_of(op, *this, i) : all;
  }
}

}  // namespace hypatia::sim
