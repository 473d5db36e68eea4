#pragma once
// What flags ask of variables while they are made: warn_float64 names the first that widened,
// compute_test_value evaluates each at once, so that a mistake shows at the line that makes it.

#include "engine/expr/variable.h"

namespace hypatia {

/// Looks at a new application. Throws Error where a flag says raise, and where its test values
/// can't be computed.
void watch(const Apply& node);
/// Looks at a new input or shared variable.
void watch_leaf(const Variable& leaf);

/// A free variable of v's type, and its test value where those are computed: for expressions that
/// are built before what they are of is known.
Variable stand_in(const Variable& v);

/// While it lives, nothing is watched on this thread: rewrites make the engine's own nodes.
class Unwatched {
 public:
  Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
  ~Unwatched();
};

}  // namespace hypatia
