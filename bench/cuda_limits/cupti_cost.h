#pragma once
// What tracing by CUPTI costs a launch: bare, and as the profiler does it.

#include <string>

namespace hypatia::limits {

/// Measures each way in a process of its own, since CUPTI stays once it was there, in interleaved
/// rounds; prints a table, and writes it to `json` unless that is empty. Returns the exit code.
int cupti_cost(const char* own_path, int rounds, const std::string& json);

/// The child's part: measures one way, and prints it as one line of JSON.
int measure_cupti_way(const std::string& key);

}  // namespace hypatia::limits
