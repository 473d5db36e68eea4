#pragma once
// What save and load of functions agree on; docs/reference/saved-function.md tells the format.

#include <cstdint>
#include <string_view>

namespace hypatia {

inline constexpr std::string_view saved_function_mark = "hypatia-function";
/// Files of a higher number are refused.
inline constexpr std::int64_t saved_function_version = 1;

}  // namespace hypatia
