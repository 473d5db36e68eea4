#pragma once
// Tells an observer of launches as the engine tells it of its own: each is a call of a function
// whose nodes are the copies in, the kernel, and the copies out.

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/run/raw/argument.h"
#include "engine/run/raw/signature.h"
#include "engine/trace/observer.h"

namespace hypatia::cuda {

/// What is launched, for its records.
struct LaunchFacts {
  const std::string& kernel;
  const std::string& text;
  const std::string& device;
  std::span<const Parameter> parameters;
  std::span<const Argument> arguments;
  const Launch& launch;
  Origin at;
};

/// The functions and plans of one kernel that an observer knows of: one for each set of arguments'
/// kinds, types and sizes.
class LaunchProfile {
 public:
  explicit LaunchProfile(Observer& observer) : observer_(observer) {}

  struct Plan {
    std::uint32_t function = 0;
    std::uint32_t first_step = 0;  // copies in, the kernel, copies out
  };

  Plan plan_for(const LaunchFacts& facts);

  Observer& observer() const { return observer_; }

 private:
  Observer& observer_;
  std::mutex mutex_;
  std::map<std::string, Plan> plans_;
};

/// One launch while it is submitted; with no profile it does nothing. Ends with its block, also
/// when an Error passes.
class HeardLaunch {
 public:
  HeardLaunch(LaunchProfile* profile, const LaunchFacts& facts);
  ~HeardLaunch();
  HeardLaunch(const HeardLaunch&) = delete;
  HeardLaunch& operator=(const HeardLaunch&) = delete;

  /// The next step's work begins here; the one before ends.
  void next_step();

 private:
  void end_step();

  LaunchProfile* profile_;
  LaunchProfile::Plan plan_;
  CurrentStep outer_;
  std::int64_t begin_ = 0, step_begin_ = 0;
  std::uint32_t call_ = 0, step_ = 0;
};

}  // namespace hypatia::cuda
