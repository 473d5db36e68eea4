#pragma once
// Everything that was found out about a recording, as one JSON object.

#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

/// Times are nanoseconds. Keys: header, devices, functions (with nodes, wall and memory), wall,
/// classes, ops, lines, gaps, occupation, advice.
std::string json_report(const Recording& recording);

/// One line a node: function, id, name, class, side, calls, times by part, median, P90, rates,
/// line.
std::string csv_report(const Recording& recording);

}  // namespace hypatia
