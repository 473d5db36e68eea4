#pragma once
// An update: what a shared variable becomes.

#include "engine/expr/variable.h"

namespace hypatia {

/// A new value for a shared variable, assigned after every expression is evaluated.
struct Update {
  Variable target;
  Variable value;
};

}  // namespace hypatia
