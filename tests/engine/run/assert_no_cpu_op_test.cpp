#include "engine/run/assert_no_cpu_op.h"

#include <csignal>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/core/warning.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

/// Two nodes that no GPU has a part in.
Graph on_the_cpu() {
  const Variable x = vector("x", DType::int64);
  return Graph({x}, {x * 2});
}

TEST(AssertNoCpuOp, IsSilentUnlessAsked) {
  EXPECT_NO_THROW(assert_no_cpu_op(on_the_cpu(), "f"));
}

TEST(AssertNoCpuOp, RaisesWithTheNodeAndItsReason) {
  const ChangeFlags flags({{"assert_no_cpu_op", "raise"}});
  EXPECT_MESSAGE_WITH(
      assert_no_cpu_op(on_the_cpu(), "f"), "is detected in the computation graph of 'f': int64");
  const Variable x = vector("x", DType::int64);
  if (config().device() == "cpu") {
    EXPECT_ANY_THROW(function({x}, x * 2));
  }
}

TEST(AssertNoCpuOp, Warns) {
  static std::string heard;
  const WarningHandler before = set_warning_handler([](const std::string& text) { heard = text; });
  const ChangeFlags flags({{"assert_no_cpu_op", "warn"}});
  assert_no_cpu_op(on_the_cpu(), "f");
  set_warning_handler(before);
  EXPECT_NE(heard.find("CPU op Elemwise{mul"), std::string::npos) << heard;
}

TEST(AssertNoCpuOpDeathTest, StopsForTheDebugger) {
  EXPECT_EXIT(
      {
        const ChangeFlags flags({{"assert_no_cpu_op", "pdb"}});
        assert_no_cpu_op(on_the_cpu(), "f");
      },
      ::testing::KilledBySignal(SIGTRAP),
      "is detected in the computation graph");
}

}  // namespace
}  // namespace hypatia
