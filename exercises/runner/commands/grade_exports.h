#pragma once
// The forms of other programs that `grade` and `report` write.

#include "exercises/runner/command.h"
#include "exercises/runner/gradebook.h"

namespace hypatia::runner {

/// Writes what --csv, --junit, --gradescope and --exercism ask for.
void write_exports(const Gradebook& book, const Arguments& arguments);

}  // namespace hypatia::runner
