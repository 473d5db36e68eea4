#pragma once
// What `hypatia profile` makes of a recording beside its report: files of other formats,
// comparisons, and recordings made of recordings.

#include <string>

#include "exercises/runner/command.h"

namespace hypatia::runner {

/// Does what the options ask for, and names each file that it wrote. False if none was given.
bool run_exports(const Arguments& arguments, const std::string& recording);

}  // namespace hypatia::runner
