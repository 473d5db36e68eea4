#pragma once
// One element of a dtype as another, with C's conversions made total.

#include <cstdint>
#include <limits>
#include <type_traits>

namespace hypatia {

/// C's conversion; what C leaves undefined (NaN and numbers out of range to an integer) gives the
/// lowest value, as x86 does. Every non-zero value, NaN too, is true.
template <class To, class From>
constexpr To convert(From value) {
  constexpr bool from_float = !std::numeric_limits<From>::is_integer;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (from_float && std::numeric_limits<To>::is_integer) {
    if constexpr (sizeof(To) < 4) {
      return static_cast<To>(convert<std::int32_t>(value));
    } else if constexpr (std::is_same_v<To, std::uint32_t>) {
      return static_cast<To>(convert<std::int64_t>(value));
    } else {
      // 2^31, 2^63 and 2^64 are exact in both float dtypes.
      constexpr From end =
          From{2} * static_cast<From>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1));
      if constexpr (std::is_same_v<To, std::uint64_t>) {
        if (value >= 0 && value < end) return static_cast<To>(value);
        return static_cast<To>(convert<std::int64_t>(value));
      } else {
        return value >= -end && value < end ? static_cast<To>(value)
                                            : std::numeric_limits<To>::min();
      }
    }
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace hypatia
