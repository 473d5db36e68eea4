#pragma once
// What the profiler costs where it is off, in instructions, and where it is on, in time.

#include <string>

namespace hypatia::bench {

/// Runs the programs of bench/hooks, which lie beside this one, and prints a table, or JSON.
/// Returns 0 if hooks cost less than 1 % of the instructions of a call and a recorded node less
/// than 100 ns, 1 if not, 6 if valgrind is missing.
int hook_cost(const std::string& own_path, bool json);

}  // namespace hypatia::bench
