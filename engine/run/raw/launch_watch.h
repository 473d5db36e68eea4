#pragma once
// Sees what hand-written kernels were given and what they made.

#include <span>
#include <string>
#include <vector>

#include "engine/core/array.h"
#include "engine/run/raw/argument.h"

namespace hypatia::cuda {

/// One launch, with copies on the host of its arrays' elements.
struct SeenLaunch {
  std::string kernel;
  std::vector<Array> read;     // what it could read: In, InOut and device arrays, before it
  std::vector<Array> written;  // what it could write: Out, InOut and device arrays, after it
  bool done = false;           // false: it was refused
};

/// While it lives, each launch of this thread is noted with copies of its arrays; launches wait for
/// their work then. Watches nest: the innermost one hears.
class LaunchWatch {
 public:
  LaunchWatch();
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;

  /// All launches so far, in their order.
  const std::vector<SeenLaunch>& seen() const { return seen_; }

  /// This thread's, or null.
  static LaunchWatch* current();

  /// Before a launch, and after its work.
  void begins(const std::string& kernel, std::span<const Argument> arguments);
  void ends(std::span<const Argument> arguments);

 private:
  LaunchWatch* outer_;
  std::vector<SeenLaunch> seen_;
};

}  // namespace hypatia::cuda
