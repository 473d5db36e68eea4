#pragma once
// The recording as a Chrome trace, which ui.perfetto.dev and chrome://tracing open, and the check
// that such a trace keeps the format's rules.

#include <string>
#include <string_view>

#include "profiler/record/recording.h"

namespace hypatia {

/// JSON with a process for the host and one for each device, a thread for each track, slices with
/// their node and detail, and an arrow from each launch to what it launched. Times in microseconds.
std::string chrome_trace(const Recording& recording);

/// "" if the trace is well formed: slices of a thread nest, stamps are numbers that don't fall
/// within a thread, lengths are not negative, arrows come in pairs from an earlier to a later time.
/// Else the first offence in a sentence.
std::string trace_problem(std::string_view json);

}  // namespace hypatia
