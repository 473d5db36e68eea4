#pragma once
// Runs a program that is not trusted: bubblewrap gives it namespaces of its own, a read-only system
// and a little memory to write to; limits hold for its processes.

#include <string>
#include <vector>

#include "exercises/runner/process.h"

namespace hypatia::runner {

/// What a confined program may use.
struct Limits {
  double seconds = 10;        // of the clock
  int processes = 64;         // and threads
  long megabytes = 4096;      // of addresses, each process
  long file_megabytes = 256;  // each file, and all that it writes
};

/// A program and what it sees of the machine beside /usr.
struct Confined {
  std::vector<std::string> words;
  std::vector<std::string> readable;  // files and folders, by their own paths
  std::vector<std::pair<std::string, std::string>> renamed;  // from a path to where it is seen
  std::string folder;                                        // where it starts; "" is its scratch
  Limits limits;
  int user = 0;  // programs that run at once have different ones
};

/// How programs are confined here.
class Sandbox {
 public:
  /// Throws Stop (unsupported) if bubblewrap is missing or the kernel refuses, unless `trust`: then
  /// programs run as the user who grades, with limits alone.
  explicit Sandbox(bool trust);

  /// The task to run. Its scratch folder is $TMPDIR.
  Task task(const Confined& program) const;

  bool confines() const { return !trust_; }

  /// For people: what holds.
  std::string description() const;

 private:
  bool trust_;
};

/// The end of a confined program in the terms of one that is not: a signal that its shell or its
/// wrapper tells as an exit code.
void unwrap(Outcome& outcome);

}  // namespace hypatia::runner
