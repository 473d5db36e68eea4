#pragma once
// What looks at the values of a call while it runs, node by node: NanGuardMode and DebugMode.

#include <span>

#include "engine/expr/op.h"

namespace hypatia {

/// Hears a guarded call. Guarded functions run their nodes unmerged.
class StepGuard {
 public:
  virtual ~StepGuard() = default;
  /// The arguments, in the graph's order, and the values of its shared variables.
  virtual void begin(
      std::span<const Array* const> inputs, std::span<const Array* const> shared) = 0;
  /// An output of a node, complete, on the host; its sizes may be flattened.
  virtual void made(const Apply& node, int output, const Array& value) = 0;
};

}  // namespace hypatia
