// The same loops on the simulated GPU and without a compiler: this program again, told so by its
// environment.
#include <gtest/gtest.h>
#include <string>

#include "tests/engine/run_tests.h"

namespace hypatia {
namespace {

constexpr const char* loops = "--gtest_filter=Scan.*:ScanGolden.*:ScanRun.*:OwnOp.*:JoinedLoops.*";

TEST(ScanDevices, OnTheSimulatedGpu) {
  EXPECT_EQ(run_tests(loops, "device=sim"), 0);
}

TEST(ScanDevices, WithoutACompiler) {
  EXPECT_EQ(run_tests(loops, "mode=FAST_COMPILE"), 0);
}

TEST(ScanDevices, WithoutRewrites) {
  // Which rows are kept is a rewrite.
  const std::string filter = std::string(loops) + "-ScanRun.OnlyTheRowsThatAreReadAreKept";
  EXPECT_EQ(run_tests(filter.c_str(), "optimizer=None"), 0);
}

}  // namespace
}  // namespace hypatia
