#pragma once
// The C text of the mathematical functions, as host_math.cpp assembles it.

#include <span>
#include <string_view>

namespace hypatia {

/// One definition, and the identifiers that must stand before it.
struct MathText {
  std::string_view identifier;
  std::string_view needs;  // separated by spaces
  std::string_view text;
};

std::span<const MathText> float32_math();
std::span<const MathText> float64_math();

}  // namespace hypatia
