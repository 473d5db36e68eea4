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

TEST(SimShadow, MarksEveryRangeOfWords) {
  alignas(4096) static char memory[2 * 4096];
  constexpr std::size_t words = sizeof memory / word_bytes;
  for (std::size_t first : {0U, 1U, 63U, 64U, 65U, 1000U, 1023U}) {
    for (std::size_t count : {1U, 2U, 63U, 64U, 65U, 128U, 1000U}) {
      for (const bool mark : {true, false}) {
        Shadow shadow;
        shadow.set_written(memory, sizeof memory, true);
        shadow.set_written(memory, sizeof memory, !mark);
        shadow.set_written(memory + first * word_bytes, count * word_bytes, mark);
        for (std::size_t word = 0; word < words; ++word) {
          const bool inside = word >= first && word < first + count;
          ASSERT_EQ(written(shadow, memory + word * word_bytes), inside == mark)
              << first << " " << count << " " << word;
        }
      }
    }
  }
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
