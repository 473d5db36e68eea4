#pragma once
// Places a kernel's text where the user wrote it, so that compilers and checkers name the user's
// file and lines.

#include <string>

#include "engine/core/origin.h"
#include "engine/device/kernel.h"

namespace hypatia::cuda {

/// The text as a compilation unit. Where the user's file holds the text word for word, as it does a
/// raw string literal, the unit takes the file's name and its lines are numbered as the file's;
/// else they count from the text's first. Unless `plain`, the whole is `extern "C"`, so that
/// kernels are found by the names they have in the text.
KernelSource placed_source(const std::string& text, const Origin& at, bool plain);

}  // namespace hypatia::cuda
