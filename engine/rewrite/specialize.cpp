// specialize: cheaper spellings of the same value.
#include <cmath>
#include <cstdlib>

#include "engine/expr/leaves.h"
#include "engine/ops/math.h"
#include "engine/rewrite/rule.h"

namespace hypatia {

namespace {

/// x to a small whole power by repeated squaring.
Variable power_by_squaring(const Match& m) {
  double exponent = 0;
  const Variable& x = m.node.input(0);
  if (!constant_number(m.node.input(1), &exponent)) return {};
  constexpr double largest = 512;
  if (exponent != std::nearbyint(exponent) || std::fabs(exponent) > largest) return {};
  const bool negative = exponent < 0;
  if ((negative || exponent == 0) && !is_float(m.node.type(0).dtype())) return {};
  const Variable base = cast(x, m.node.type(0).dtype());
  Variable result, square = base;
  for (long n = std::labs(static_cast<long>(exponent)); n; n >>= 1) {
    if (n & 1) result = result ? square * result : square;
    if (n > 1) square = sqr(square);
  }
  if (!result) return ones_like(base);
  return negative ? inv(result) : result;
}

}  // namespace

const Rules& special_rules() {
  static const Variable x = hole(0);
  static const Rules rules{
      {"power_half", pow(x, 0.5), sqrt(x), Domain::positive, false},
      {"power_by_squaring", {}, {}, Domain::all, true, power_by_squaring, &pow_op},
      {"square", x * x, sqr(x)},
      {"reciprocal", 1 / x, inv(x), Domain::nonzero},
      {"multiply_minus_one", x * (-1), -x},
  };
  return rules;
}

Graph specialize(const Graph& graph, const PassContext& context) {
  return apply_rules(graph, special_rules(), "specialize", context);
}

}  // namespace hypatia
