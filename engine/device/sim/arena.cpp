#include "engine/device/sim/arena.h"

#include <algorithm>
#include <bit>
#include <string>
#include <sys/mman.h>

#include "engine/core/error.h"

namespace hypatia::sim {

namespace {
constexpr std::size_t granule = 256;
// Sizes are rounded up to one of four steps between powers of two, so that freed pieces fit again.
constexpr std::size_t steps = 4;
}  // namespace

Arena::Arena(std::size_t capacity, std::size_t gap) : capacity_(capacity), gap_(gap) {
  // Freed pieces keep their addresses, so more of those than of memory is wanted; where the
  // process may not have that many, fewer do.
  constexpr std::size_t least = std::size_t{1} << 28;
  for (reserved_ = std::max(capacity * 4, least); reserved_ >= least; reserved_ /= 2) {
    void* base = mmap(
        nullptr,
        reserved_,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        -1,
        0);
    if (base == MAP_FAILED) continue;
    base_ = static_cast<char*>(base);
    madvise(base_, reserved_, MADV_DONTDUMP);
    return;
  }
  throw Error(
      Error::Kind::memory,
      "the host has no room for the addresses of a simulated GPU's memory",
      "raise the limit on address space (ulimit -v)");
}

Arena::~Arena() {
  munmap(base_, reserved_);
}

std::size_t Arena::class_of(std::size_t bytes) {
  const std::size_t least = std::max(bytes, granule);
  const std::size_t step = std::max(granule, std::bit_floor(least) / steps);
  return (least + step - 1) / step * step;
}

char* Arena::take(std::size_t bytes) {
  const std::size_t room = class_of(bytes);
  if (live_ + bytes > capacity_) return nullptr;
  if (live_ + pooled_ + room > capacity_) drop_pool();
  char* piece = nullptr;
  const auto at = free_.find(room);
  if (at != free_.end() && !at->second.empty()) {
    piece = at->second.back();
    at->second.pop_back();
    pooled_ -= std::min(pooled_, room);
  } else {
    // Behind a gap, so that one past the end is never another's first.
    if (used_ + room + gap_ > reserved_) return nullptr;
    used_ += gap_;
    piece = base_ + used_;
    used_ += room;
  }
  live_pieces_[piece] = {piece, bytes, room};
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  return piece;
}

void Arena::give(char* piece) {
  const auto at = live_pieces_.find(piece);
  live_ -= at->second.bytes;
  pooled_ += at->second.room;
  free_[at->second.room].push_back(piece);
  live_pieces_.erase(at);
}

// The addresses stay with the pool; the memory behind them goes back to the system.
void Arena::drop_pool() {
  for (const auto& [room, pieces] : free_) {
    for (char* piece : pieces) {
      const std::size_t page = 4096;
      char* first = reinterpret_cast<char*>(
          (reinterpret_cast<std::uintptr_t>(piece) + page - 1) / page * page);
      if (first + page <= piece + room)
        madvise(first, static_cast<std::size_t>(piece + room - first) / page * page, MADV_DONTNEED);
    }
  }
  pooled_ = 0;
}

Arena::Piece Arena::find(const void* address) const {
  const Piece below = before(address);
  const char* at = static_cast<const char*>(address);
  return below.begin && at < below.begin + below.bytes ? below : Piece{};
}

Arena::Piece Arena::before(const void* address) const {
  auto at = live_pieces_.upper_bound(const_cast<char*>(static_cast<const char*>(address)));
  return at == live_pieces_.begin() ? Piece{} : std::prev(at)->second;
}

}  // namespace hypatia::sim
