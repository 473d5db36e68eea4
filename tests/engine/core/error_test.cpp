#include "engine/core/error.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace hypatia {
namespace {

[[noreturn]] void fail() {
  throw Error(Error::Kind::config, "there is no flag 'florX'", "did you mean floatX?");
}

[[noreturn]] void fail_otherwise() {
  throw std::runtime_error("not the engine's");
}

void throw_uncaught() noexcept {
  fail();
}

void throw_other_uncaught() noexcept {
  fail_otherwise();
}

TEST(ErrorDeathTest, UncaughtIsToldAndEndsTheProgramWithoutAnAbort) {
  EXPECT_EXIT(
      throw_uncaught(),
      testing::ExitedWithCode(EXIT_FAILURE),
      "^configuration error: there is no flag 'florX'\n +help: did you mean floatX");
}

TEST(ErrorDeathTest, OthersAbortAsEver) {
  EXPECT_DEATH(throw_other_uncaught(), "not the engine's");
}

}  // namespace
}  // namespace hypatia
