#pragma once
// The default update of a shared variable: the value that functions give it after every call.

#include "engine/expr/variable.h"

namespace hypatia {

/// The default update of a shared variable's leaf; no variable if it has none.
Variable default_update(const Variable& shared);

/// Sets it, or with no variable takes it away. The box keeps the expression without a reference to
/// itself, or the two would hold each other for ever.
void set_default_update(const Variable& shared, const Variable& value);

}  // namespace hypatia
