#pragma once
// How a value that does not have a variable's dtype is taken: by function inputs and by shared
// variables.

#include <string_view>

#include "engine/core/array.h"

namespace hypatia {

/// Whether values of a wider dtype are converted. `numbers`: only 0-d ones, floats to any float and
/// others where the dtype holds them exactly.
enum class Downcast : std::uint8_t { numbers, always, never };

struct Acceptance {
  Downcast downcast = Downcast::numbers;
  bool strict = false;  // exactly this dtype and no other
};

/// The value in that dtype. Throws Error of kind dtype; `what` begins it: "an input".
Array accepted(const Array& value, DType wanted, Acceptance how, std::string_view what);

}  // namespace hypatia
