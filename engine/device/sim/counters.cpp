#include "engine/device/sim/counters.h"

#include <algorithm>

namespace hypatia::sim {

namespace {

constexpr std::uint32_t sector_bytes = 32, bank_bytes = 4, banks = 32;

/// Different values among the first `count`; sorts them.
unsigned distinct(std::array<std::uint32_t, 64>& values, unsigned count) {
  const auto end = values.begin() + count;
  std::sort(values.begin(), end);
  return static_cast<unsigned>(std::unique(values.begin(), end) - values.begin());
}

}  // namespace

void Counters::begin_block(unsigned threads) {
  threads_ = threads;
}

void Counters::prepare(Site& site) const {
  site.visits.resize(threads_, 0);
  site.warps.resize((threads_ + 31) / 32);
}

void Counters::end_block() {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    SiteCounts& counts = count(static_cast<std::uint16_t>(i));
    for (std::vector<Request>& requests : sites_[i].warps) {
      for (const Request& request : requests)
        if (request.lanes) count_request(counts, request);
      requests.clear();
    }
    std::fill(sites_[i].visits.begin(), sites_[i].visits.end(), 0U);
  }
  pending_ = 0;
}

// A block with very many accesses is counted in parts; a request that spans two is counted twice.
void Counters::end_block_early() {
  end_block();
}

void Counters::count_request(SiteCounts& counts, const Request& request) {
  std::array<std::uint32_t, 64> values;
  counts.active_lanes += static_cast<unsigned>(__builtin_popcount(request.lanes));
  if (!request.shared) {
    ++counts.requests;
    unsigned count = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((request.lanes >> lane & 1U) == 0) continue;
      const std::uint32_t first = request.at[lane] / sector_bytes;
      const std::uint32_t last = (request.at[lane] + request.bytes - 1) / sector_bytes;
      values[count++] = first;
      if (last != first) values[count++] = last;
    }
    counts.sectors += distinct(values, count);
    return;
  }
  ++counts.shared_requests;
  // Wide accesses go in halves or quarters of a warp, each of which can use all banks.
  const unsigned parts = request.bytes >= 16 ? 4 : request.bytes == 8 ? 2 : 1;
  for (unsigned part = 0; part < parts; ++part) {
    unsigned count = 0;
    for (unsigned lane = part * 32 / parts; lane < (part + 1) * 32 / parts; ++lane) {
      if ((request.lanes >> lane & 1U) == 0) continue;
      for (std::uint32_t word = 0; word < std::max(1U, request.bytes / bank_bytes); ++word)
        values[count++] = request.at[lane] / bank_bytes + word;
    }
    std::array<unsigned, banks> used{};
    unsigned passes = 0;
    const unsigned words = distinct(values, count);
    for (unsigned i = 0; i < words; ++i)
      passes = std::max(passes, ++used[values[i] % banks]);
    if (passes > 1) counts.bank_conflicts += passes - 1;
  }
}

}  // namespace hypatia::sim
