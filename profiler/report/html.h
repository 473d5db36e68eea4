#pragma once
// A page that shows a recording in any browser, in one file, without a script or a connection.

#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

/// Verdict, wall bar and stacked bars per node of each function, its graph, tables and advice.
std::string html_report(const Recording& recording);

}  // namespace hypatia
