#pragma once
// How a function is compiled: what its options and the flags mode, optimizer, linker and allow_gc
// come to.

#include <memory>
#include <string>

#include "engine/run/function.h"
#include "engine/run/step_guard.h"

namespace hypatia {

/// One function's way of being made and run.
struct RunMode {
  enum class Checks : std::uint8_t { nothing, numbers, everything };

  std::string optimizer;      // a name of optimizers()
  bool interpret = false;     // no compiler
  bool keep_buffers = false;  // allow_gc is False
  Checks checks = Checks::nothing;
};

/// Throws Error of kind config on a mode or linker that there is not.
RunMode run_mode_of(const FunctionOptions& options);

/// What looks at every step in this mode; null in most. `source` is the graph before rewrites.
std::unique_ptr<StepGuard> guard_of(
    const RunMode& mode, const Graph& graph, const Graph& source, const std::string& function);

}  // namespace hypatia
