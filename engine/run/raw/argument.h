#pragma once
// What a launch takes: sizes of grid and block, arrays of the host that are copied for it, arrays
// of the device, numbers.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "engine/core/array.h"
#include "engine/core/origin.h"

namespace hypatia::cuda {

/// The size of a grid or a block along x, y and z: {400}, {20, 10}, {8, 8, 4}.
struct Sizes {
  std::array<std::int64_t, 3> along{1, 1, 1};
  int count = 0;  // how many were given
  Origin at;      // the user's line

  // NOLINTBEGIN(google-explicit-constructor): they are written as numbers in braces
  Sizes(std::initializer_list<std::int64_t> sizes, Origin origin = Origin::here());
  Sizes(std::int64_t x, Origin origin = Origin::here());

  // NOLINTEND(google-explicit-constructor)
};

/// An array of the host that the kernel reads: copied to the device before the launch.
struct In {
  Array array;

  explicit In(const Array& a) : array(a) {}
};

/// An array of the host that the kernel writes: copied back after the launch, which waits for it.
/// What it held before does not reach the kernel.
struct Out {
  Array array;

  explicit Out(const Array& a) : array(a) {}
};

/// An array of the host that the kernel reads and writes: copied both ways.
struct InOut {
  Array array;

  explicit InOut(const Array& a) : array(a) {}
};

/// One argument of a launch.
class Argument {
 public:
  enum class Kind : std::uint8_t { device_array, in, out, in_out, integer, real };

  // NOLINTBEGIN(google-explicit-constructor): arguments are written as what they are
  Argument(const In& in) : Argument(Kind::in, in.array) {}

  Argument(const Out& out) : Argument(Kind::out, out.array) {}

  Argument(const InOut& both) : Argument(Kind::in_out, both.array) {}

  /// An array that lies on the device; the kernel gets its address.
  Argument(const Array& array) : Argument(Kind::device_array, array) {}

  template <class T>

  requires std::is_integral_v<T> Argument(T number)
      : kind_(Kind::integer),
        integer_(static_cast<std::int64_t>(number)),
        is_unsigned_(std::is_unsigned_v<T>) {}

  template <class T>

  requires std::is_floating_point_v<T> Argument(T number)
      : kind_(Kind::real), real_(static_cast<double>(number)) {}

  // NOLINTEND(google-explicit-constructor)

  Kind kind() const { return kind_; }

  bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::real; }

  /// True if its elements go to the device before the launch, or come back after it.
  bool goes_in() const { return kind_ == Kind::in || kind_ == Kind::in_out; }

  bool comes_out() const { return kind_ == Kind::out || kind_ == Kind::in_out; }

  const Array& array() const { return array_; }

  /// Of kind integer; an unsigned one beyond int64 wraps.
  std::int64_t integer() const { return integer_; }

  bool is_unsigned() const { return is_unsigned_; }

  double real() const { return real_; }

 private:
  Argument(Kind kind, const Array& array);

  Kind kind_;
  Array array_;
  std::int64_t integer_ = 0;
  bool is_unsigned_ = false;
  double real_ = 0;
};

}  // namespace hypatia::cuda
