// Programs of the course take counts on their command line, and nothing else for one.
#include "exercises/support/count.h"

#include <gtest/gtest.h>

namespace hypatia::support {
namespace {

int counted(std::string word, int place = 1) {
  char program[] = "program";
  char* words[] = {program, word.data()};
  return count_in(words, 2, place, 7);
}

TEST(Count, IsTheWordOrTheUsualOne) {
  EXPECT_EQ(counted("12"), 12);
  EXPECT_EQ(counted("12", 2), 7);
}

TEST(CountDeathTest, RefusesWhatIsNone) {
  for (const char* word : {"", "0", "-3", "3x", "1e3", "x", "--help", "99999999999"}) {
    EXPECT_EXIT(
        counted(word),
        testing::ExitedWithCode(2),
        "'" + std::string(word) + "' should be a count, 1 or more: it is 7 if nothing is said");
  }
}

}  // namespace
}  // namespace hypatia::support
