#pragma once
// Who last read and wrote each word of simulated memory, and which words were ever written.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace hypatia::sim {

/// One access of one thread to one word.
struct Access {
  std::uint32_t serial = 0;  // of the block's run; grows through a process's launches, never 0
  std::uint32_t epoch = 0;   // barriers that the block had passed
  std::uint16_t thread = 0;
  std::uint16_t site = 0;
  std::uint16_t warp_epoch = 0;  // warp synchronisations since that barrier
  std::uint8_t bytes = 0;        // which bytes of the word, a bit each
  std::uint8_t atomic = 0;

  bool same_thread(const Access& other) const {
    return serial == other.serial && thread == other.thread;
  }
};

/// A word's history: the last write, and the last reads of two different threads.
struct Cell {
  Access write, read, other_read;
};

inline constexpr std::size_t word_bytes = 4;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t page_words = page_bytes / word_bytes;

/// What is known of a page of global memory.
struct Page {
  std::array<std::uint64_t, page_words / 64> written{};
  std::unique_ptr<std::array<Cell, page_words>> cells;
};

/// Global memory's history; lives as long as its device. Not synchronised.
class Shadow {
 public:
  /// Marks bytes as written by a copy, or as never written (after an allocation).
  void set_written(const void* at, std::size_t bytes, bool written);
  /// Gives a range the marks of another.
  void copy_written(const void* to, const void* from, std::size_t bytes);

  /// The page of an address, with cells.
  Page& page(const void* at) {
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(at) / page_bytes;
    Recent& recent = recent_[number % recent_.size()];
    if (recent.number == number) return *recent.page;
    return find(number);
  }

  static std::size_t word(const void* at) {
    return reinterpret_cast<std::uintptr_t>(at) % page_bytes / word_bytes;
  }

  /// Numbers for the runs of blocks.
  std::uint32_t next_serial = 1;

 private:
  struct Recent {
    std::uintptr_t number = 0;
    Page* page = nullptr;
  };

  Page& find(std::uintptr_t number);

  std::unordered_map<std::uintptr_t, Page> pages_;
  std::array<Recent, 256> recent_{};
  std::size_t pages_with_cells_ = 0;
};

}  // namespace hypatia::sim
