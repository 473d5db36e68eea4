#pragma once
// A simulated card's memory: a range of addresses of its own, handed out in pieces and reused.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hypatia::sim {

/// Addresses that nothing else in the process has. Not synchronised: its device locks.
class Arena {
 public:
  /// Reserves room for `capacity` bytes; no memory is used before it is touched.
  /// `gap` bytes stay unused between pieces.
  Arena(std::size_t capacity, std::size_t gap);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A piece that starts at a multiple of 256; null if more than the capacity would be in use.
  char* take(std::size_t bytes);
  void give(char* piece);

  bool holds(const void* address) const {
    const char* at = static_cast<const char*>(address);
    return at >= base_ && at < base_ + reserved_;
  }

  /// A piece in use.
  struct Piece {
    char* begin = nullptr;
    std::size_t bytes = 0;  // as it was asked for
    std::size_t room = 0;
  };

  /// The piece in use that contains an address, or one of 0 bytes.
  Piece find(const void* address) const;
  /// The piece in use that ends last before an address, or one of 0 bytes.
  Piece before(const void* address) const;

  std::size_t capacity() const { return capacity_; }

  std::size_t live() const { return live_; }

  std::size_t pooled() const { return pooled_; }

  std::size_t peak() const { return peak_; }

  const std::map<char*, Piece>& pieces() const { return live_pieces_; }

  const char* base() const { return base_; }

  std::size_t reserved() const { return reserved_; }

 private:
  static std::size_t class_of(std::size_t bytes);
  void drop_pool();

  char* base_ = nullptr;
  std::size_t reserved_ = 0, capacity_, gap_, used_ = 0;
  std::size_t live_ = 0, pooled_ = 0, peak_ = 0;
  std::map<char*, Piece> live_pieces_;
  std::map<std::size_t, std::vector<char*>> free_;  // by room
};

}  // namespace hypatia::sim
