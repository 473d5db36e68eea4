#pragma once
// How parts of a value are named: x[0], x(slice(1, 5), every, -1), x(newaxis, i), x[mask].

#include <cstdint>

#include "engine/expr/operand.h"

namespace hypatia {

/// An end of a slice left open: slice(2, none).
struct None {};

/// All of an axis.
struct Every {};

/// A new broadcastable axis.
struct NewAxis {};

/// As many whole axes as are left.
struct Ellipsis {};

inline constexpr None none{};
inline constexpr Every every{};
inline constexpr NewAxis newaxis{};
inline constexpr Ellipsis ellipsis{};

/// Any integer of the program.
template <class T>
concept WholeNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// A bound of a slice: a number, an integer variable, or none.
struct Bound {
  Variable variable;  // none: open

  // NOLINTBEGIN(google-explicit-constructor): these conversions are the point of the type
  Bound(None) {}

  Bound(const Variable& v) : variable(v) {}

  template <WholeNumber T>
  Bound(T value, Origin at = Origin::here()) : variable(Operand(value, at).variable) {}

  // NOLINTEND(google-explicit-constructor)
};

/// Elements start, start + step, … before stop, as Python counts them.
struct Slice {
  Bound start, stop;
  std::int64_t step = 1;
};

inline Slice slice(Bound start, Bound stop, std::int64_t step = 1) {
  return {std::move(start), std::move(stop), step};
}

/// One entry between the brackets.
struct Index {
  enum class Kind : std::uint8_t { absent, number, range, array, whole, new_axis, rest };

  Kind kind = Kind::absent;
  Variable variable;  // of number and array
  Slice range{none, none, 1};
  Origin at;

  Index() = default;

  // NOLINTBEGIN(google-explicit-constructor): these conversions are the point of the type
  template <WholeNumber T>
  Index(T value, Origin origin = Origin::here())
      : kind(Kind::number), variable(Operand(value, origin).variable), at(origin) {}

  /// A 0-d integer drops the axis; integers of more axes choose elements; bool arrays are masks.
  Index(const Variable& v, Origin origin = Origin::here())
      : kind(v.ndim() == 0 ? Kind::number : Kind::array), variable(v), at(origin) {}

  Index(const Array& values, Origin origin = Origin::here())
      : Index(Operand(values, origin).variable, origin) {}

  Index(Slice s, Origin origin = Origin::here())
      : kind(Kind::range), range(std::move(s)), at(origin) {}

  Index(Every, Origin origin = Origin::here()) : kind(Kind::whole), at(origin) {}

  Index(NewAxis, Origin origin = Origin::here()) : kind(Kind::new_axis), at(origin) {}

  Index(Ellipsis, Origin origin = Origin::here()) : kind(Kind::rest), at(origin) {}

  // NOLINTEND(google-explicit-constructor)
};

}  // namespace hypatia
