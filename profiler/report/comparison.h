#pragma once
// The comparison of two recordings as a text.

#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

/// A section a function: both medians, and a table of the nodes that changed. Differences within
/// the spread from call to call are marked as the same.
std::string comparison_report(const Recording& before, const Recording& after);

}  // namespace hypatia
