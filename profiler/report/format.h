#pragma once
// How reports write numbers and names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hypatia {

/// "812ns", "3.30us", "1.25ms", "12.4s": three digits and a unit.
std::string duration(double nanoseconds);
/// "512B", "1.25MB": powers of 1000.
std::string byte_count(double bytes);
/// Cut to `columns` characters, with "..." at the end if anything was lost.
std::string shorten(std::string_view text, std::size_t columns);
/// For HTML and SVG.
std::string escape_markup(std::string_view text);
/// "exercises/01_exp_test/exercise.cpp:18", or "" for an unknown place.
std::string place(const char* file, std::uint32_t line);

}  // namespace hypatia
