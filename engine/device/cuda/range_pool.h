#pragma once
// Cuts big pieces of memory that the host need not be able to read into ranges, in constant time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hypatia {

/// Where a pool grows from: the driver, or a fake one in tests.
class SlabSource {
 public:
  virtual ~SlabSource() = default;
  /// Null when there is no more.
  virtual void* take_slab(std::size_t bytes) = 0;
  virtual void give_slab(void* slab, std::size_t bytes) = 0;
};

/// A piece of a slab. Neighbours are kept for merging, list links for the free ones.
struct Range {
  char* address = nullptr;
  std::size_t bytes = 0;
  bool free = false;
  Range *before = nullptr, *after = nullptr;   // in the slab, by address
  Range *previous = nullptr, *next = nullptr;  // in the list of a size class
};

/// Two levels of size classes, 16 to a power of two, so that a request is rounded up by at most a
/// sixteenth and any free range of its class fits. Not thread-safe: the owner locks.
class RangePool {
 public:
  /// Requests are rounded up to `granule`, a power of two; slabs have at least `growth` bytes.
  RangePool(SlabSource& source, std::size_t granule, std::size_t growth);
  ~RangePool();
  RangePool(const RangePool&) = delete;
  RangePool& operator=(const RangePool&) = delete;

  /// Null when neither the slabs nor the source have room; free slabs are given back before that.
  Range* allocate(std::size_t bytes);
  /// Makes a range free and merges it with free neighbours.
  void release(Range* range);
  /// Adds a slab ahead of need; false if the source has none.
  bool grow(std::size_t bytes);
  /// Gives wholly free slabs back; returns their bytes.
  std::size_t trim();

  std::size_t live() const { return live_; }

  std::size_t held() const { return held_; }

  std::size_t peak() const { return peak_; }

  std::size_t live_ranges() const { return live_ranges_; }

  /// The largest request that can be met without growing.
  std::size_t largest_free() const;

  /// The bytes a request really takes.
  std::size_t rounded(std::size_t bytes) const;

 private:
  static constexpr std::size_t powers = 48, parts = 16;

  struct Class {
    std::size_t power, part;
  };

  static Class class_of(std::size_t bytes);
  Range* find_free(std::size_t bytes) const;
  Range* take_record();
  void put_record(Range* range);
  void link(Range* range);
  void unlink(Range* range);
  void split(Range* range, std::size_t bytes);
  /// Joins the range that follows into this one.
  void absorb_next(Range* range);

  SlabSource& source_;
  std::size_t granule_, growth_;
  std::uint64_t power_map_ = 0;                    // powers that have a free range
  std::array<std::uint32_t, powers> part_maps_{};  // their parts that have one
  std::array<std::array<Range*, parts>, powers> lists_{};
  std::vector<Range*> slabs_;    // the first range of each
  std::vector<Range*> records_;  // records without a range, for reuse
  std::vector<std::unique_ptr<Range>> owned_;
  std::size_t live_ = 0, held_ = 0, peak_ = 0, live_ranges_ = 0;
};

}  // namespace hypatia
