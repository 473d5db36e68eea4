#pragma once
// The table of flags: what can be configured, by which names and values, and what it does.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hypatia {

enum class FlagKind : unsigned char { boolean, integer, real, choice, text, device, contexts };

/// One flag. Names with a dot belong to the section before the dot in configuration files.
struct Flag {
  std::string_view name;
  std::string_view value;  // by default
  FlagKind kind;
  std::string_view allowed;  // the values of a choice, separated by ", "; "0 or more" of an integer
  std::string_view doc;
  std::string_view idle = "";  // why it is accepted and does nothing; empty if it does something
  bool fixed = false;          // can't change once the engine has used it
};

std::span<const Flag> flags();
/// The row of a flag in flags(). Throws Error that lists near names.
std::size_t flag_row(std::string_view name);
/// What a value may be, for people: "float64, float32", "True, False", "a number".
std::string allowed_text(const Flag& flag);
/// A value in its normal form ("1" is "True" of a boolean flag). Throws Error on a bad value.
std::string checked_value(const Flag& flag, std::string_view value);

}  // namespace hypatia
