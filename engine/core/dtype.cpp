// Names, sizes and promotion of dtypes.

#include "engine/core/dtype.h"

#include <array>
#include <string>

#include "engine/core/error.h"

namespace hypatia {

namespace {

struct Entry {
  std::string_view name;
  int size;
};

constexpr std::array<Entry, dtype_count> table{{
    {"bool", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"float32", 4},
    {"float64", 8},
}};

const Entry& entry(DType dtype) {
  return table[static_cast<std::size_t>(dtype)];
}

DType signed_of_size(int size) {
  return size <= 1   ? DType::int8
         : size == 2 ? DType::int16
         : size == 4 ? DType::int32
                     : DType::int64;
}

}  // namespace

std::string_view name(DType dtype) {
  return entry(dtype).name;
}

int size_of(DType dtype) {
  return entry(dtype).size;
}

DType parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<DType>(i);
  }
  throw Error(
      Error::Kind::dtype,
      "there is no dtype '" + std::string(name) + "'",
      "the dtypes are bool, int8 to int64, uint8 to uint64, float32 and float64");
}

DType at_least_float(DType d) {
  if (is_float(d)) return d;
  return size_of(d) <= 2 ? DType::float32 : DType::float64;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (is_float(a) || is_float(b)) {
    const DType fa = at_least_float(a), fb = at_least_float(b);
    return fa > fb ? fa : fb;
  }
  if (is_unsigned(a) == is_unsigned(b)) return a > b ? a : b;
  const DType s = is_unsigned(a) ? b : a, u = is_unsigned(a) ? a : b;
  if (size_of(s) > size_of(u)) return s;
  return u == DType::uint64 ? DType::float64 : signed_of_size(2 * size_of(u));
}

}  // namespace hypatia
