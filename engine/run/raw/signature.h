#pragma once
// A kernel's parameters, read from its text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/dtype.h"

namespace hypatia::cuda {

/// One parameter.
struct Parameter {
  std::string text;  // "const float* a"
  std::string name;  // "a"; may be empty
  bool pointer = false;
  /// What it holds or points to; nothing for void and for types that are not numbers.
  std::optional<DType> dtype;
};

/// A parameter from its declaration, words with blanks between: "const float * a".
Parameter read_parameter(std::string_view declaration);

/// "multiply_them(float* dest, const float* a)".
std::string to_text(const std::string& kernel, const std::vector<Parameter>& parameters);

}  // namespace hypatia::cuda
