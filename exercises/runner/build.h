#pragma once
// Builds single targets on demand, and reads what the compiler said.

#include <string>
#include <vector>

namespace hypatia::runner {

/// One message of the compiler or linker.
struct Complaint {
  std::string file;  // as shown to people
  int line = 0;
  std::string text;
  bool error = true;  // else a warning
};

/// "FILE:LINE TEXT", or the text alone where no line is to blame.
std::string to_text(const Complaint& complaint);

/// What a build came to.
struct Built {
  bool ok = false;
  bool timed_out = false;
  double seconds = 0;
  std::vector<Complaint> complaints;  // the first is the first error
  std::string log;
};

/// Brings targets up to date. With HYPATIA_NO_SETUP it only looks whether the programs exist.
/// Throws Stop (environment) if there is no build folder or no ninja.
Built build(const std::vector<std::string>& targets, double limit_seconds);
/// Errors and warnings of a compiler's output.
std::vector<Complaint> complaints_of(const std::string& log);

}  // namespace hypatia::runner
