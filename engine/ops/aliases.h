#pragma once
// Other names of ops, as programs for Theano and NumPy write them.

#include "engine/ops/compare.h"
#include "engine/ops/linalg.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/special.h"

namespace hypatia {

// Operators by name. `xor` is a word of C++, so that it ends in _ as `and` and `or` do.
inline Variable add(const Operand& a, const Operand& b) {
  return a + b;
}

inline Variable sub(const Operand& a, const Operand& b) {
  return a - b;
}

inline Variable mul(const Operand& a, const Operand& b) {
  return a * b;
}

inline Variable true_div(const Operand& a, const Operand& b) {
  return a / b;
}

inline Variable mod(const Operand& a, const Operand& b) {
  return a % b;
}

inline Variable neg(const Operand& a) {
  return -a;
}

inline Variable lt(const Operand& a, const Operand& b) {
  return a < b;
}

inline Variable le(const Operand& a, const Operand& b) {
  return a <= b;
}

inline Variable gt(const Operand& a, const Operand& b) {
  return a > b;
}

inline Variable ge(const Operand& a, const Operand& b) {
  return a >= b;
}

inline Variable and_(const Operand& a, const Operand& b) {
  return a & b;
}

inline Variable or_(const Operand& a, const Operand& b) {
  return a | b;
}

inline Variable xor_(const Operand& a, const Operand& b) {
  return a ^ b;
}

inline Variable invert(const Operand& a) {
  return ~a;
}

// Functions by their other names.
inline Variable abs_(const Operand& x) {
  return abs(x);
}

inline Variable sign(const Operand& x) {
  return sgn(x);
}

inline Variable square(const Operand& x) {
  return sqr(x);
}

inline Variable reciprocal(const Operand& x) {
  return inv(x);
}

inline Variable digamma(const Operand& x) {
  return psi(x);
}

/// b's elements in a's shape.
inline Variable second(const Operand& a, const Operand& b) {
  return fill(a, b);
}

}  // namespace hypatia
