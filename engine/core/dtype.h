#pragma once
// The element types of the engine, their names, sizes and promotion rules.

#include <cstdint>
#include <string_view>

namespace hypatia {

/// Element type of an array; the order is the order of promotion inside a kind.
enum class DType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
};

inline constexpr int dtype_count = 11;

/// The name users write and read: "bool", "int8", …, "float64".
std::string_view name(DType dtype);
/// The dtype of that name; "floatX" is not one (see Config). Throws Error that lists the names.
DType parse_dtype(std::string_view name);
/// Bytes of one element.
int size_of(DType dtype);

constexpr bool is_float(DType d) {
  return d >= DType::float32;
}

constexpr bool is_unsigned(DType d) {
  return d >= DType::uint8 && d <= DType::uint64;
}

constexpr bool is_signed_integer(DType d) {
  return d >= DType::int8 && d <= DType::int64;
}

/// True of the integers, not of bool.
constexpr bool is_integer(DType d) {
  return is_signed_integer(d) || is_unsigned(d);
}

/// The dtype that holds both, by NumPy's scalar kinds: int16 and float32 give float32, int32 and
/// float32 give float64, int64 and uint64 give float64.
DType promote(DType a, DType b);
/// The float dtype in which exp, sqrt and their like compute: float32 for bool and integers up to
/// 16 bits, float64 for wider ones, floats unchanged.
DType at_least_float(DType d);

template <class T>
struct DTypeOf;

// clang-format off
template <> struct DTypeOf<bool> { static constexpr DType value = DType::boolean; };
template <> struct DTypeOf<std::int8_t> { static constexpr DType value = DType::int8; };
template <> struct DTypeOf<std::int16_t> { static constexpr DType value = DType::int16; };
template <> struct DTypeOf<std::int32_t> { static constexpr DType value = DType::int32; };
template <> struct DTypeOf<std::int64_t> { static constexpr DType value = DType::int64; };
template <> struct DTypeOf<std::uint8_t> { static constexpr DType value = DType::uint8; };
template <> struct DTypeOf<std::uint16_t> { static constexpr DType value = DType::uint16; };
template <> struct DTypeOf<std::uint32_t> { static constexpr DType value = DType::uint32; };
template <> struct DTypeOf<std::uint64_t> { static constexpr DType value = DType::uint64; };
template <> struct DTypeOf<float> { static constexpr DType value = DType::float32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::float64; };
// clang-format on

/// The dtype of a C++ type; long long is int64 too.
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

/// Calls `f` with a value of the C++ type of `dtype`: visit(dtype, [](auto zero) { … decltype(zero)
/// … }).
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean:
      return f(bool{});
    case DType::int8:
      return f(std::int8_t{});
    case DType::int16:
      return f(std::int16_t{});
    case DType::int32:
      return f(std::int32_t{});
    case DType::int64:
      return f(std::int64_t{});
    case DType::uint8:
      return f(std::uint8_t{});
    case DType::uint16:
      return f(std::uint16_t{});
    case DType::uint32:
      return f(std::uint32_t{});
    case DType::uint64:
      return f(std::uint64_t{});
    case DType::float32:
      return f(float{});
    case DType::float64:
      break;
  }
  return f(double{});
}

}  // namespace hypatia
