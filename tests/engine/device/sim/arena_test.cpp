#include "engine/device/sim/arena.h"

#include <cstring>
#include <gtest/gtest.h>

namespace hypatia::sim {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(SimArena, ReusesPiecesOfTheSameSize) {
  Arena arena(64 * mebibyte, 256);
  char* a = arena.take(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 256, 0U);
  EXPECT_EQ(arena.live(), 1000U);
  arena.give(a);
  EXPECT_EQ(arena.live(), 0U);
  EXPECT_GE(arena.pooled(), 1000U);
  EXPECT_EQ(arena.take(900), a);
  EXPECT_EQ(arena.peak(), 1000U);
}

TEST(SimArena, RefusesMoreThanItsCapacityAndGoesOn) {
  Arena arena(64 * mebibyte, 256);
  char* a = arena.take(40 * mebibyte);
  ASSERT_TRUE(a);
  EXPECT_FALSE(arena.take(40 * mebibyte));
  arena.give(a);
  // The pooled piece makes room for another size.
  EXPECT_TRUE(arena.take(50 * mebibyte));
}

TEST(SimArena, KnowsWhichPieceHasAnAddress) {
  Arena arena(64 * mebibyte, 4096);
  char* a = arena.take(1000);
  char* b = arena.take(1000);
  EXPECT_EQ(arena.find(a + 999).begin, a);
  EXPECT_FALSE(arena.find(a + 1000).begin);
  EXPECT_FALSE(arena.find(b - 1).begin);
  EXPECT_EQ(arena.before(b - 1).begin, a);
  EXPECT_GE(b - a, 4096 + 1000);
  EXPECT_TRUE(arena.holds(a));
  int local = 0;
  EXPECT_FALSE(arena.holds(&local));
}

TEST(SimArena, GivesEmptyArraysAddressesOfTheirOwn) {
  Arena arena(64 * mebibyte, 256);
  char* a = arena.take(0);
  char* b = arena.take(0);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace hypatia::sim
