#pragma once
// How many bytes the elements of an array take.

#include <cstddef>

#include "engine/core/dims.h"
#include "engine/core/dtype.h"

namespace hypatia {

/// Throws Error of kind shape for a negative size, and of kind memory where no address space holds
/// so many bytes.
std::size_t bytes_of(DType dtype, const Dims& dims);

}  // namespace hypatia
