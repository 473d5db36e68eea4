#include "engine/device/cuda/range_pool.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace hypatia {
namespace {

/// Gives addresses that nobody may touch, up to a limit.
class FakeSource final : public SlabSource {
 public:
  explicit FakeSource(std::size_t limit) : limit_(limit) {}

  void* take_slab(std::size_t bytes) override {
    if (held + bytes > limit_) return nullptr;
    held += bytes;
    ++taken;
    next_ += 1U << 30U;
    return reinterpret_cast<void*>(next_);
  }

  void give_slab(void*, std::size_t bytes) override { held -= bytes; }

  std::size_t held = 0;
  int taken = 0;

 private:
  std::size_t limit_;
  std::uintptr_t next_ = 1U << 30U;
};

TEST(RangePool, ReusesAFreedRangeWithoutGrowing) {
  FakeSource source(1U << 30U);
  RangePool pool(source, 512, 1U << 20U);
  Range* first = pool.allocate(921'600);
  const char* address = first->address;
  pool.release(first);
  EXPECT_EQ(pool.allocate(921'600)->address, address);
  EXPECT_EQ(source.taken, 1);
}

TEST(RangePool, RoundsUpByAtMostASixteenth) {
  FakeSource source(1);
  const RangePool pool(source, 512, 1U << 20U);
  for (std::size_t bytes = 8192; bytes < 5'000'000; bytes += 4999) {
    EXPECT_GE(pool.rounded(bytes), bytes);
    EXPECT_LE(pool.rounded(bytes), bytes + bytes / 16 + 512);
  }
  EXPECT_EQ(pool.rounded(0), 512U);
}

TEST(RangePool, MergesNeighboursAndGivesSlabsBack) {
  FakeSource source(1U << 30U);
  RangePool pool(source, 512, 1U << 20U);
  Range* a = pool.allocate(1000);
  Range* b = pool.allocate(2000);
  Range* c = pool.allocate(3000);
  EXPECT_EQ(pool.live_ranges(), 3U);
  EXPECT_EQ(pool.trim(), 0U);
  pool.release(a);
  pool.release(c);
  pool.release(b);
  EXPECT_EQ(pool.live(), 0U);
  EXPECT_EQ(pool.largest_free(), std::size_t{1} << 20U);
  EXPECT_EQ(pool.trim(), std::size_t{1} << 20U);
  EXPECT_EQ(source.held, 0U);
}

TEST(RangePool, TriesItsFreeSlabsBeforeItGivesUp) {
  FakeSource source(8U << 20U);
  RangePool pool(source, 512, 1U << 20U);
  pool.release(pool.allocate(4U << 20U));
  Range* large = pool.allocate(7U << 20U);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(pool.allocate(4U << 20U), nullptr);
  EXPECT_EQ(pool.live(), std::size_t{7} << 20U);
  EXPECT_NE(pool.allocate(100), nullptr) << "a refusal must leave the pool usable";
}

TEST(RangePool, RefusesSizesBeyondAnyMemory) {
  FakeSource source(1U << 30U);
  RangePool pool(source, 512, 1U << 20U);
  EXPECT_EQ(pool.allocate(std::size_t{1} << 62U), nullptr);
}

TEST(RangePool, NeverHandsOutTheSameBytesTwice) {
  FakeSource source(256U << 20U);
  RangePool pool(source, 512, 4U << 20U);
  std::mt19937 random(7);
  std::map<char*, Range*> live;
  for (int step = 0; step < 20'000; ++step) {
    if (live.size() < 40 && random() % 2) {
      Range* range = pool.allocate(1 + random() % (1U << (8 + random() % 15)));
      ASSERT_NE(range, nullptr);
      ASSERT_FALSE(range->free);
      const auto after = live.lower_bound(range->address);
      if (after != live.end()) {
        ASSERT_LE(range->address + range->bytes, after->first);
      }
      if (after != live.begin()) {
        const Range* before = std::prev(after)->second;
        ASSERT_LE(before->address + before->bytes, range->address);
      }
      live[range->address] = range;
    } else if (!live.empty()) {
      auto chosen = live.begin();
      std::advance(chosen, static_cast<long>(random() % live.size()));
      pool.release(chosen->second);
      live.erase(chosen);
    }
  }
  std::size_t bytes = 0;
  for (const auto& [address, range] : live)
    bytes += range->bytes;
  EXPECT_EQ(pool.live(), bytes);
  EXPECT_GE(pool.peak(), bytes);
}

}  // namespace
}  // namespace hypatia
