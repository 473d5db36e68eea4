#pragma once
// Where in the user's program something was built: three words, taken by default arguments.

#include <cstdint>

namespace hypatia {

/// A place in the user's source. The strings are literals of the compiler and live forever.
struct Origin {
  const char* file = "";
  const char* function = "";
  std::uint32_t line = 0;

  /// The caller's place, when used as a default argument.
  static constexpr Origin here(
      const char* file = __builtin_FILE(),
      const char* function = __builtin_FUNCTION(),
      std::uint32_t line = __builtin_LINE()) {
    return {file, function, line};
  }

  explicit constexpr operator bool() const { return line != 0; }
};

}  // namespace hypatia
