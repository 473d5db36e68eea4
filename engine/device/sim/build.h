#pragma once
// Runs the host's compiler on a kernel text and keeps what it makes below the compile directory.

#include <string>

#include "engine/device/sim/object.h"
#include "engine/device/sim/scan.h"

namespace hypatia::sim {

/// The path of the shared object of a text, compiled now if the cache has it not.
std::string build_object(const KernelSource& source, const Scan& scan, Build build);

/// Where compiled kernels are kept: below HYPATIA_COMPILEDIR, else below the flag compiledir; where
/// that can't be written to, among the temporary files.
std::string object_directory();

/// A line of a text by its number from 1, without its indentation.
std::string line_of(const std::string& text, int number);

/// The whole text that the compiler reads.
std::string unit_text(const KernelSource& source, const Scan& scan, Build build);

}  // namespace hypatia::sim
