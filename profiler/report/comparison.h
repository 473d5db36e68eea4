#pragma once
// The comparison of two recordings as a text.

#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

/// A section a function: both medians, and a table of the nodes that changed. Differences within
/// the spread from call to call are marked as the same; recordings whose times are modelled are
/// called simulated.
std::string comparison_report(const Recording& before, const Recording& after);
/// The same as JSON: functions with both medians, nodes with their change and both times; times in
/// nanoseconds per call, null where a side has no such function or node.
std::string comparison_json(const Recording& before, const Recording& after);

}  // namespace hypatia
