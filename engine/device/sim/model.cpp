#include "engine/device/sim/model.h"

#include <algorithm>
#include <cmath>

namespace hypatia::sim {

namespace {

/// A rate at a size, linear in the logarithm of the size between the table's rows.
double rate_at(const RateTable& table, double bytes, double otherwise) {
  if (table.empty()) return otherwise;
  if (bytes <= table.front().first) return table.front().second;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto& [low, slow] = table[i - 1];
    const auto& [high, fast] = table[i];
    if (bytes > high) continue;
    return slow + (fast - slow) * std::log(bytes / low) / std::log(high / low);
  }
  return table.back().second;
}

double threads_of(const Launch& launch) {
  double threads = 1;
  for (std::size_t i = 0; i < 3; ++i)
    threads *= static_cast<double>(launch.grid[i]) * launch.block[i];
  return threads;
}

double blocks_of(const Launch& launch) {
  return static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}

/// Pageable memory of over 64 KiB travels by way of page-locked chunks: eight, or more of 512 KiB.
double chunks_of(std::size_t bytes, HostMemoryKind host) {
  constexpr double direct = 65536, most = 524288;
  const double size = static_cast<double>(bytes);
  return host == HostMemoryKind::pinned || size <= direct ? 1 : std::max(8.0, size / most);
}

double memory_rate(const Sheet& sheet, double bytes) {
  const Limits& l = sheet.limits;
  return bytes <= static_cast<double>(l.cache_bytes) ? l.cache_bandwidth : l.memory_bandwidth;
}

}  // namespace

double occupied_share(const Sheet& sheet, const Launch& launch) {
  const Limits& l = sheet.limits;
  const double most = static_cast<double>(l.multiprocessors) * l.max_threads_per_multiprocessor;
  const double by_threads = threads_of(launch) / most;
  return std::clamp(by_threads, 1.0 / l.multiprocessors, 1.0);
}

double kernel_seconds(const Sheet& sheet, const Launch& launch, bool f64) {
  const Limits& l = sheet.limits;
  const double most = static_cast<double>(l.multiprocessors) * l.max_threads_per_multiprocessor;
  const double resident = std::min(threads_of(launch), most);
  // A multiprocessor is busy with arithmetic from about 512 threads on.
  const double busy = std::min(
      {1.0,
       blocks_of(launch) / l.multiprocessors,
       resident / (512.0 * static_cast<double>(l.multiprocessors))});
  const double arithmetic = launch.flops / ((f64 ? l.f64_flops : l.f32_flops) * busy);
  // Little's law: few threads can't ask for memory fast enough to fill its bandwidth. The first
  // latency is a part of what every kernel takes.
  constexpr double line = 128, warp = 32;
  const double in_flight =
      std::max(resident * sheet.bytes_in_flight, std::ceil(resident / warp) * line);
  const double asked = in_flight / sheet.memory_latency;
  const double memory = std::max(
      launch.bytes / memory_rate(sheet, launch.bytes), launch.bytes / asked - sheet.memory_latency);
  return l.kernel_latency + std::max(arithmetic, memory);
}

double product_seconds(const Sheet& sheet, const MatrixProduct& p) {
  const Limits& l = sheet.limits;
  const double size = size_of(p.dtype);
  const double m = static_cast<double>(p.m), n = static_cast<double>(p.n);
  const double k = static_cast<double>(p.k), batches = static_cast<double>(p.batches);
  const double flops = 2 * m * n * k * batches;
  const double bytes = (m * k + k * n + m * n * (p.beta == 0 ? 1 : 2)) * size * batches;
  const double f64_peak = std::max(l.f64_flops, sheet.f64_product_flops);
  const double peak = p.dtype == DType::float64 ? f64_peak : l.f32_flops;
  // Tiles of 64 × 64: a product with fewer tiles than multiprocessors leaves some idle, unless the
  // library splits the sums.
  const double tiles = std::ceil(m / 64) * std::ceil(n / 64) * batches;
  const double busy = std::clamp(tiles / l.multiprocessors, 0.2, 1.0);
  const double arithmetic = flops / (peak * sheet.product_share * busy);
  const bool vector = p.m == 1 || p.n == 1;
  return (vector ? sheet.vector_product_latency : sheet.product_latency) +
         std::max(arithmetic, bytes / memory_rate(sheet, bytes));
}

double copy_in_seconds(const Sheet& sheet, std::size_t bytes, HostMemoryKind from) {
  const Limits& l = sheet.limits;
  return chunks_of(bytes, from) * l.copy_latency + static_cast<double>(bytes) / l.copy_in_bandwidth;
}

double copy_out_seconds(const Sheet& sheet, std::size_t bytes, HostMemoryKind to) {
  return chunks_of(bytes, to) * sheet.copy_out_latency +
         static_cast<double>(bytes) / sheet.limits.copy_out_bandwidth;
}

double staging_in_seconds(const Sheet& sheet, std::size_t bytes) {
  const double size = static_cast<double>(bytes);
  return size / rate_at(sheet.pageable_in, size, sheet.limits.pageable_bandwidth);
}

double staging_out_seconds(const Sheet& sheet, std::size_t bytes) {
  const double size = static_cast<double>(bytes);
  return size / rate_at(sheet.pageable_out, size, sheet.limits.pageable_bandwidth);
}

double copy_on_seconds(const Sheet& sheet, std::size_t bytes) {
  const double moved = 2 * static_cast<double>(bytes);
  return sheet.limits.kernel_latency + moved / memory_rate(sheet, moved);
}

double fill_seconds(const Sheet& sheet, std::size_t bytes) {
  const double size = static_cast<double>(bytes);
  return sheet.limits.kernel_latency + size / memory_rate(sheet, size);
}

}  // namespace hypatia::sim
