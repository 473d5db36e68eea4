// The same loops on the simulated GPU and without a compiler: this program again, told so by its
// environment.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Runs the tests of that filter with these flags in a child; its exit status.
int run_tests(const char* filter, const char* flags) {
  const pid_t child = fork();
  if (child == 0) {
    // The tests to run must not fall into another shard.
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    setenv("HYPATIA_FLAGS", flags, 1);
    execl("/proc/self/exe", "engine_tests", "--gtest_brief=1", filter, nullptr);
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

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
