#pragma once
// Says in words how two arrays differ.

#include <string>

#include "engine/core/array.h"

namespace hypatia {

/// In how many elements two arrays of the same dims and dtype differ, which is the first, and what
/// it should be and is; "" if they are close everywhere, as all_close has it. Elements that still
/// hold a trial's pattern are told as never written.
std::string difference_text(const Array& got, const Array& expected);

}  // namespace hypatia
