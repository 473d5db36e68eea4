#include "engine/expr/operand.h"

#include <cmath>
#include <limits>

#include "engine/core/config.h"
#include "engine/expr/leaves.h"

namespace hypatia {

namespace {

template <class T>
bool fits(long long value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

// Integers take the smallest signed dtype that holds them.
Array smallest_integer(long long value) {
  const Array wide(static_cast<std::int64_t>(value));
  if (fits<std::int8_t>(value)) return wide.astype(DType::int8);
  if (fits<std::int16_t>(value)) return wide.astype(DType::int16);
  return fits<std::int32_t>(value) ? wide.astype(DType::int32) : wide;
}

// Floats take floatX if that is narrower than float64, else the smallest dtype that holds them.
Array smallest_float(double value) {
  const bool exact = std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
  const bool narrow = config().float_x() != DType::float64 || exact;
  return Array(value).astype(narrow ? DType::float32 : DType::float64);
}

Array unsigned_integer(unsigned long value) {
  if (value <= static_cast<unsigned long>(std::numeric_limits<long long>::max())) {
    return smallest_integer(static_cast<long long>(value));
  }
  return Array(value);
}

}  // namespace

Operand::Operand(const Variable& v, Origin origin) : variable(v), at(origin) {
  if (!v) no_variable("an operand", origin);
}

Operand::Operand(int value, Origin origin) : Operand(static_cast<long long>(value), origin) {}

Operand::Operand(long value, Origin origin) : Operand(static_cast<long long>(value), origin) {}

Operand::Operand(long long value, Origin origin)
    : variable(constant(smallest_integer(value), origin)), at(origin) {}

Operand::Operand(unsigned value, Origin origin) : Operand(static_cast<long long>(value), origin) {}

Operand::Operand(unsigned long value, Origin origin)
    : variable(constant(unsigned_integer(value), origin)), at(origin) {}

Operand::Operand(unsigned long long value, Origin origin)
    : Operand(static_cast<unsigned long>(value), origin) {}

Operand::Operand(bool value, Origin origin)
    : variable(constant(Array(value), origin)), at(origin) {}

Operand::Operand(float value, Origin origin)
    : variable(constant(Array(value), origin)), at(origin) {}

Operand::Operand(double value, Origin origin)
    : variable(constant(smallest_float(value), origin)), at(origin) {}

Operand::Operand(const Array& value, Origin origin)
    : variable(constant(value, origin)), at(origin) {}

}  // namespace hypatia
