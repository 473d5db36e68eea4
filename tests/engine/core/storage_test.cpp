// Blocks of host memory: where they begin.
#include "engine/core/storage.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace hypatia {
namespace {

TEST(HostStorage, LargeBlocksBeginAtDifferentPlacesOfAPage) {
  std::vector<Ref<Storage>> blocks;
  std::set<std::uintptr_t> begins;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(allocate_host(std::size_t{9} << 20));
    const auto begin = reinterpret_cast<std::uintptr_t>(blocks.back()->data());
    EXPECT_EQ(begin % 64, 0U);
    begins.insert(begin % 4096);
    static_cast<char*>(blocks.back()->data())[blocks.back()->bytes() - 1] = 1;
  }
  EXPECT_EQ(begins.size(), 4U);
}

TEST(HostStorage, TakesFreedBlocksAgain) {
  const void* before = allocate_host(std::size_t{9} << 20)->data();
  EXPECT_EQ(allocate_host(std::size_t{9} << 20)->data(), before);
}

/// Beyond the pool's limit blocks go back to the system, from wherever they began.
TEST(HostStorage, GivesVeryLargeBlocksBack) {
  const std::size_t bytes = (std::size_t{1} << 30) + 1, before = host_memory().live;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(allocate_host(bytes)->bytes(), bytes);
  EXPECT_EQ(host_memory().live, before);
}

}  // namespace
}  // namespace hypatia
