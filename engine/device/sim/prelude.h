#pragma once
// The text that stands before a kernel's when the host compiler reads it as C++: CUDA's keywords,
// types and functions in terms of the simulator, with no standard header, so that it costs a few
// milliseconds.

#include <string>

#include "engine/device/sim/abi.h"

namespace hypatia::sim {

extern const char* const prelude_types;    // keywords, vector types, threadIdx and its like
extern const char* const prelude_math;     // functions of floats and integers
extern const char* const prelude_threads;  // barriers, warps, atomics, assert
extern const char* const prelude_launch;   // templates that run a kernel's threads

extern const char* const prelude_checked;  // what accesses report to, in checked objects

/// Those that a build needs, in the order of use.
std::string prelude(Build build);

}  // namespace hypatia::sim
