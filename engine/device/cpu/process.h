#pragma once
// Runs another program and collects what it says: how the compiler is called.

#include <string>
#include <vector>

namespace hypatia {

/// How a program ended.
struct Outcome {
  int exit_code = -1;  // -1 if a signal ended it or it could not be started
  int signal = 0;
  std::string output;  // what it wrote to stdout and stderr, in order

  bool ok() const { return exit_code == 0; }
};

/// Runs command[0] (a path) with the rest as arguments and waits for it. It stays in our process
/// group, so that Ctrl-C ends it too, and ends with the thread that started it.
/// Never throws.
Outcome run_program(const std::vector<std::string>& command);

/// Where a program of that name lies on the given search path (or PATH), or "" if nowhere. A name
/// with a slash is a path itself.
std::string find_program(const std::string& name, const std::string& search_path = "");

}  // namespace hypatia
