#pragma once
// Groups the accesses of a warp's lanes into requests, as the hardware does, and counts what each
// costs: sectors of global memory, passes over the banks of shared memory.

#include <array>
#include <cstdint>
#include <vector>

namespace hypatia::sim {

/// What one instruction did in a launch.
struct SiteCounts {
  std::uint64_t loads = 0, stores = 0, atomics = 0;
  std::uint64_t requests = 0, sectors = 0, bank_conflicts = 0, active_lanes = 0;
  std::uint64_t shared_loads = 0, shared_stores = 0, shared_requests = 0;
  const void* at = nullptr;  // an address that it touched
};

/// Counts of all instructions of a launch. The lanes of a warp that execute an instruction for the
/// same time, each by its own count, make one request.
class Counters {
 public:
  /// A block of so many threads begins; the one before has been counted.
  void begin_block(unsigned threads);
  void end_block();

  void add(std::uint16_t site, unsigned thread, const void* at, std::uint32_t bytes, bool shared) {
    if (site >= sites_.size()) sites_.resize(site + 1U);
    Site& s = sites_[site];
    if (s.visits.size() < threads_) prepare(s);
    std::vector<Request>& requests = s.warps[thread / 32];
    const std::uint32_t visit = s.visits[thread]++;
    if (visit >= requests.size()) requests.resize(visit + 1);
    Request& request = requests[visit];
    request.lanes |= 1U << thread % 32;
    request.bytes = static_cast<std::uint8_t>(bytes);
    request.shared = shared;
    request.at[thread % 32] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at));
    if (++pending_ > most_pending) end_block_early();
  }

  /// By site.
  const std::vector<SiteCounts>& counts() const { return counts_; }

  SiteCounts& count(std::uint16_t site) {
    if (site >= counts_.size()) counts_.resize(site + 1U);
    return counts_[site];
  }

 private:
  static constexpr std::size_t most_pending = std::size_t{16} << 20;

  struct Request {
    std::uint32_t lanes = 0;
    std::uint8_t bytes = 0;
    bool shared = false;
    std::array<std::uint32_t, 32> at;  // the low half of each lane's address
  };

  struct Site {
    std::vector<std::uint32_t> visits;        // by thread
    std::vector<std::vector<Request>> warps;  // by visit
  };

  void prepare(Site& site) const;
  void end_block_early();
  void count_request(SiteCounts& counts, const Request& request);

  unsigned threads_ = 0;
  std::size_t pending_ = 0;
  std::vector<Site> sites_;
  std::vector<SiteCounts> counts_;
};

}  // namespace hypatia::sim
