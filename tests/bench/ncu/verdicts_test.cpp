// The scripts' arithmetic is in Python, and so are its tests.
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/checkout.h"

namespace hypatia {
namespace {

TEST(Verdicts, OfMadeUpTimesAreRight) {
  if (std::system("command -v python3 >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs python3";
  const std::string file = tests::checkout() + "/tests/bench/ncu/verdicts_test.py";
  EXPECT_EQ(std::system(("python3 -B " + file).c_str()), 0);
}

}  // namespace
}  // namespace hypatia
