#include "engine/device/sim/shadow.h"

#include <gtest/gtest.h>

namespace hypatia::sim {
namespace {

bool written(Shadow& shadow, const void* at) {
  const std::size_t word = Shadow::word(at);
  return (shadow.page(at).written[word / 64] >> word % 64 & 1U) != 0;
}

TEST(SimShadow, RemembersWhatWasWrittenAcrossPages) {
  alignas(4096) static char memory[3 * 4096];
  Shadow shadow;
  shadow.set_written(memory + 4000, 200, true);
  EXPECT_FALSE(written(shadow, memory + 3996));
  EXPECT_TRUE(written(shadow, memory + 4000));
  EXPECT_TRUE(written(shadow, memory + 4196));
  EXPECT_FALSE(written(shadow, memory + 4200));
  shadow.set_written(memory, sizeof memory, false);
  EXPECT_FALSE(written(shadow, memory + 4100));
}

TEST(SimShadow, CopiesMarksWithTheBytes) {
  alignas(4096) static char memory[2 * 4096];
  Shadow shadow;
  shadow.set_written(memory, 8, true);
  shadow.copy_written(memory + 4096, memory, 16);
  EXPECT_TRUE(written(shadow, memory + 4096 + 4));
  EXPECT_FALSE(written(shadow, memory + 4096 + 8));
}

}  // namespace
}  // namespace hypatia::sim
