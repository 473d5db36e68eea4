// Words of ninja's commands.
#include "exercises/runner/judging.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Judging, WordsAreTakenApartAsAShellDoes) {
  const std::vector<std::string> expected{"c++", "-DA=\"b\"", "two words", "it's", "a b"};
  EXPECT_EQ(shell_words("c++  -DA=\\\"b\\\" \"two words\" it\\'s 'a b'"), expected);
}

TEST(Judging, EveryExerciseCanBeGraded) {
  for (const Exercise& exercise : course())
    EXPECT_TRUE(can_be_graded(exercise)) << exercise.id << " needs a border.cpp";
}

}  // namespace hypatia::runner
