#pragma once
// Tests of this program again, in a child whose environment asks for another device or mode.

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace hypatia {

/// Runs the tests of that filter ("--gtest_filter=Scan.*") with these flags ("device=sim") in a
/// child; its exit status.
inline int run_tests(const char* filter, const char* flags) {
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

}  // namespace hypatia
