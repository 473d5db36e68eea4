#pragma once
// Operand: the argument of every graph-building function. Converting to it records the user's line
// and turns numbers and arrays into constants.

#include "engine/expr/variable.h"

namespace hypatia {

/// A variable or a value, with the place in the user's program where it became an argument.
struct Operand {
  Variable variable;
  Origin at;

  // NOLINTBEGIN(google-explicit-constructor): these conversions are the point of the type
  /// Throws Error of kind graph for an empty variable.
  Operand(const Variable& v, Origin origin = Origin::here());

  Operand(int value, Origin origin = Origin::here());
  Operand(long value, Origin origin = Origin::here());
  Operand(long long value, Origin origin = Origin::here());
  Operand(unsigned value, Origin origin = Origin::here());
  Operand(unsigned long value, Origin origin = Origin::here());
  Operand(unsigned long long value, Origin origin = Origin::here());
  Operand(bool value, Origin origin = Origin::here());
  Operand(float value, Origin origin = Origin::here());
  Operand(double value, Origin origin = Origin::here());
  Operand(const Array& value, Origin origin = Origin::here());

  // NOLINTEND(google-explicit-constructor)

  operator const Variable&() const { return variable; }  // NOLINT(google-explicit-constructor)
};

using Operands = std::vector<Operand>;

}  // namespace hypatia
