#pragma once
// The lock of a shared variable's value; apart from leaves.h, so that users don't pay for <mutex>.

#include <mutex>

#include "engine/core/accept.h"
#include "engine/expr/leaves.h"

namespace hypatia {

/// Held while a shared value is read or replaced. Several are locked in the order of their boxes.
struct SharedBox::Guard {
  std::mutex mutex;
  Variable default_update;  // none unless the user set one
  Acceptance acceptance;    // of new values
  Variable itself;          // stands in it for the shared variable
};

}  // namespace hypatia
