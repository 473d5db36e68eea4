#pragma once
// What this machine can run: devices, looked at from a process of their own so that a broken driver
// can neither crash nor hang the command.

#include <string>
#include <vector>

#include "exercises/runner/course.h"

namespace hypatia::runner {

/// One thing that `doctor` looked at.
struct Finding {
  std::string name;    // "cuda driver"
  std::string state;   // "ok", "missing", "warning", "not needed"
  std::string detail;  // what was found
  std::string fix;     // one line that mends it; empty if nothing is to be done
};

/// A device as the engine opens it.
struct DeviceFinding {
  std::string spec;
  bool usable = false;
  std::string reason;  // why not
  std::string model, driver;
  bool simulated = false;
};

/// Opens the device in a child process. "" and "cpu" are always usable.
DeviceFinding look_at_device(const std::string& spec);
/// The child's side: prints the finding as JSON.
int probe_device(const std::string& spec);
/// Throws Stop (unsupported) with the reason if the device can't be had, and as require_flags does.
void require_device(const std::string& spec);
/// "cuda" if there is one, else "sim".
std::string best_gpu();
/// Where an exercise is checked if nobody says: the cpu, or the best GPU where it needs one.
std::string usual_device(const Exercise& exercise);

}  // namespace hypatia::runner
