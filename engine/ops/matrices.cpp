// The functions of linear algebra that other ops make up: diagonals, powers, products.
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/ops/iota.h"
#include "engine/ops/linalg.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

Variable trace(Operand a) {
  return sum(diag(a));
}

Variable matrix_power(Operand a, int n) {
  if (n == 0) return identity_matrix(shape_i(a, 0), a.variable.dtype());
  Variable square = n < 0 ? matrix_inverse(a) : a.variable, result;
  for (int left = std::abs(n); left; left >>= 1) {
    if (left & 1) result = result ? dot(result, square) : square;
    if (left > 1) square = dot(square, square);
  }
  return result;
}

Variable outer(Operand a, Operand b) {
  return dimshuffle(a, {0, -1}) * dimshuffle(b, {-1, 0});
}

Variable batched_dot(Operand a, Operand b) {
  if (a.variable.ndim() != 3 || b.variable.ndim() != 3) {
    throw Error(Error::Kind::shape, "batched_dot takes operands of 3 axes")
        .with({"left", brief(a.variable.type()), a.variable.name(), a.at})
        .with({"right", brief(b.variable.type()), b.variable.name(), b.at});
  }
  return sum(dimshuffle(a, {0, 1, 2, -1}) * dimshuffle(b, {0, -1, 1, 2}), Axes{2});
}

Variable norm(Operand x) {
  return sqrt(sum(sqr(x)));
}

}  // namespace hypatia
