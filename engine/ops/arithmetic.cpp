// The elementwise ops of arithmetic: their descriptors and the operators that apply them.
#include <cmath>
#include <type_traits>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/ops/compare.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

ScalarTypes subtractable(const Attrs& attrs, std::span<const DType> in) {
  const ScalarTypes types = promoted(attrs, in);
  if (types.operand == DType::boolean) {
    throw Error(
        Error::Kind::dtype,
        "bools can't be subtracted or negated",
        "use ^ for exclusive or, ~ for not, or convert with astype");
  }
  return types;
}

ScalarTypes powered(const Attrs& attrs, std::span<const DType> in) {
  const ScalarTypes types = promoted(attrs, in);
  return types.operand == DType::boolean ? ScalarTypes{DType::int8, DType::int8} : types;
}

/// True division of integers gives floatX's kind: at least float, float64 for wide integers.
ScalarTypes divided(const Attrs& attrs, std::span<const DType> in) {
  const ScalarTypes types = promoted(attrs, in);
  if (is_float(types.operand)) return types;
  const DType dtype = config().float_x();
  return {dtype, dtype};
}

constexpr auto plus = [](auto x, auto y) { return wrapping(x) + wrapping(y); };
constexpr auto minus = [](auto x, auto y) { return wrapping(x) - wrapping(y); };
constexpr auto times = [](auto x, auto y) { return wrapping(x) * wrapping(y); };

constexpr auto sign = [](auto x) {
  using T = decltype(x);
  if constexpr (std::is_signed_v<T>) {
    if (x < T{0}) return static_cast<T>(-1);
  }
  return x > T{0} ? static_cast<T>(1) : x;
};

constexpr auto larger = [](auto x, auto y) { return x > y || x != x ? x : y; };
constexpr auto smaller = [](auto x, auto y) { return x < y || x != x ? x : y; };

constexpr auto floor_division = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_same_v<T, bool>) {
    return x && y;
  } else if constexpr (std::is_floating_point_v<T>) {
    // The whole number q of x = q*y + x % y, as NumPy's floor_divide: x / y itself may round up.
    if (y == 0) return x / y;
    const T r = std::fmod(x, y);
    const T q = (x - r) / y - static_cast<T>(r != 0 && (r < 0) != (y < 0));
    return std::copysign(std::nearbyint(q), x / y);
  } else if constexpr (std::is_unsigned_v<T>) {
    return y == T{0} ? T{0} : static_cast<T>(x / y);
  } else {
    if (y == 0) return T{0};
    if (y == -1) return static_cast<T>(0 - wrapping(x));
    return static_cast<T>(x / y - ((x % y != 0) && ((x < 0) != (y < 0))));
  }
};

constexpr auto remainder_of_divisor_sign = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_same_v<T, bool>) {
    return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T r = std::fmod(x, y);
    return r + (r != 0 && (r < 0) != (y < 0) ? y : T{0});
  } else if constexpr (std::is_unsigned_v<T>) {
    return y == T{0} ? T{0} : static_cast<T>(x % y);
  } else {
    if (y == 0 || y == -1) return T{0};
    const auto r = x % y;
    return static_cast<T>(r + (r != 0 && (r < 0) != (y < 0) ? y : 0));
  }
};

constexpr auto power = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (std::is_same_v<T, bool>) {
    return x || !y;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else {
    // Repeated squaring, wrapping; a negative exponent rounds 1/x^n toward 0.
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) return static_cast<T>(x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0);
    }
    auto result = wrapping(T{1});
    auto base = wrapping(x);
    for (auto n = static_cast<std::uint64_t>(y); n; n >>= 1) {
      if (n & 1) result = static_cast<decltype(result)>(result * base);
      base = static_cast<decltype(base)>(base * base);
    }
    return static_cast<T>(result);
  }
};

std::string floor_division_text(const Attrs&, DType dtype) {
  if (is_float(dtype)) {
    return "({1} == 0 ? {0} / {1} : copysign(rint(({0} - fmod({0}, {1})) / {1} - "
           "(fmod({0}, {1}) != 0 && (fmod({0}, {1}) < 0) != ({1} < 0))), {0} / {1}))";
  }
  if (!is_signed_integer(dtype)) return "({1} == 0 ? 0 : {0} / {1})";
  return "({1} == 0 ? 0 : {1} == -1 ? -{0} : "
         "{0} / {1} - (({0} % {1} != 0) && (({0} < 0) != ({1} < 0))))";
}

std::string remainder_text(const Attrs&, DType dtype) {
  if (is_float(dtype)) {
    return "(fmod({0}, {1}) + (fmod({0}, {1}) != 0 && (fmod({0}, {1}) < 0) != ({1} < 0) ? {1} : "
           "0))";
  }
  if (!is_signed_integer(dtype)) return "({1} == 0 ? 0 : {0} % {1})";
  return "({1} == 0 || {1} == -1 ? 0 : "
         "{0} % {1} + ({0} % {1} != 0 && ({0} % {1} < 0) != ({1} < 0) ? {1} : 0))";
}

std::string power_text(const Attrs&, DType dtype) {
  if (is_float(dtype)) return "pow({0}, {1})";
  return is_signed_integer(dtype) ? "int_pow({0}, {1})" : "uint_pow({0}, {1})";
}

std::string abs_text(const Attrs&, DType dtype) {
  return is_float(dtype) ? "fabs({0})" : "({0} < 0 ? -{0} : {0})";
}

Vars pow_pullback(const Adjoint& a) {
  const Variable &x = a.in[0], &y = a.in[1], &bar = a.out_bar[0];
  // log(0) would turn 0^y into NaN where the derivative is 0.
  const Variable log_x = log(switch_(eq(x, 0), 1, x));
  return {bar * y * pow(x, y - 1), bar * a.out[0] * log_x};
}

}  // namespace

constinit const Op add_op = elementwise({
    .name = "add",
    .doc = "x + y",
    .arity = 2,
    .dtypes = promoted,
    .text = "{0} + {1}",
    .loop = same_loop<2, plus>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0], a.out_bar[0]};
    },
    .infix = true,
    .commutative = true,
});

constinit const Op sub_op = elementwise({
    .name = "sub",
    .doc = "x - y",
    .arity = 2,
    .dtypes = subtractable,
    .text = "{0} - {1}",
    .loop = same_loop<2, minus>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0], -a.out_bar[0]};
    },
    .infix = true,
});

constinit const Op mul_op = elementwise({
    .name = "mul",
    .doc = "x · y",
    .arity = 2,
    .dtypes = promoted,
    .text = "{0} * {1}",
    .loop = same_loop<2, times>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] * a.in[1], a.out_bar[0] * a.in[0]};
    },
    .infix = true,
    .commutative = true,
});

constinit const Op true_div_op = elementwise({
    .name = "true_div",
    .doc = "x / y; integers give floatX",
    .arity = 2,
    .dtypes = divided,
    .text = "{0} / {1}",
    .loop = float_loop<2, [](auto x, auto y) { return x / y; }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0] / a.in[1], -(a.out_bar[0] * a.in[0]) / (a.in[1] * a.in[1])};
    },
    .infix = true,
});

constinit const Op int_div_op = elementwise({
    .name = "int_div",
    .doc = "x / y rounded down; 0 for a division of integers by 0",
    .arity = 2,
    .dtypes = promoted,
    .flops = 6,
    .loop = same_loop<2, floor_division>,
    .pullback = [](const Adjoint&) -> Vars {
      return {Variable(), Variable()};
    },
    .text_of = floor_division_text,
});

constinit const Op mod_op = elementwise({
    .name = "mod",
    .doc = "remainder of x / y with the sign of y",
    .arity = 2,
    .dtypes = promoted,
    .flops = 4,
    .loop = same_loop<2, remainder_of_divisor_sign>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {a.out_bar[0], -a.out_bar[0] * int_div(a.in[0], a.in[1])};
    },
    .text_of = remainder_text,
});

constinit const Op pow_op = elementwise({
    .name = "pow",
    .doc = "x to the power y; integers stay integers",
    .arity = 2,
    .dtypes = powered,
    .flops = 30,
    .loop = same_loop<2, power>,
    .pullback = pow_pullback,
    .text_of = power_text,
});

constinit const Op neg_op = elementwise({
    .name = "neg",
    .doc = "-x",
    .dtypes = subtractable,
    .text = "-{0}",
    .loop = same_loop<
        1,
        [](auto x) {
          if constexpr (std::is_floating_point_v<decltype(x)>) {
            return -x;
          } else {
            return 0U - wrapping(x);
          }
        }>,
    .pullback = [](const Adjoint& a) -> Vars { return {-a.out_bar[0]}; },
});

constinit const Op abs_op = elementwise({
    .name = "abs",
    .doc = "|x|",
    .dtypes = promoted,
    .loop = same_loop<
        1,
        [](auto x) {
          if constexpr (std::is_floating_point_v<decltype(x)>) {
            return std::fabs(x);
          } else if constexpr (std::is_signed_v<decltype(x)>) {
            return x < 0 ? 0U - wrapping(x) : wrapping(x);
          } else {
            return x;
          }
        }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * sgn(a.in[0])}; },
    .text_of = abs_text,
});

constinit const Op sgn_op = elementwise({
    .name = "sgn",
    .doc = "-1, 0 or 1 by the sign of x; NaN for NaN",
    .dtypes = promoted,
    .text = "({0} > 0 ? 1 : {0} < 0 ? -1 : {0})",
    .loop = same_loop<1, sign>,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
});

constinit const Op sqr_op = elementwise({
    .name = "sqr",
    .doc = "x · x",
    .dtypes = promoted,
    .text = "{0} * {0}",
    .loop = same_loop<1, [](auto x) { return wrapping(x) * wrapping(x); }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * (2 * a.in[0])}; },
});

constinit const Op inv_op = elementwise({
    .name = "inv",
    .doc = "1 / x",
    .dtypes = promoted_float,
    .text = "1 / {0}",
    .loop = float_loop<1, [](auto x) { return 1 / x; }>,
    .pullback = [](const Adjoint& a) -> Vars { return {-a.out_bar[0] * (a.out[0] * a.out[0])}; },
});

constinit const Op maximum_op = elementwise({
    .name = "maximum",
    .doc = "the larger of x and y; NaN if either is",
    .arity = 2,
    .dtypes = promoted,
    .text = "({0} > {1} || {0} != {0} ? {0} : {1})",
    .loop = same_loop<2, larger>,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable first = cast(eq(a.out[0], a.in[0]), a.out_bar[0].dtype());
      return {a.out_bar[0] * first, a.out_bar[0] * (1 - first)};
    },
    .commutative = true,
});

constinit const Op minimum_op = elementwise({
    .name = "minimum",
    .doc = "the smaller of x and y; NaN if either is",
    .arity = 2,
    .dtypes = promoted,
    .text = "({0} < {1} || {0} != {0} ? {0} : {1})",
    .loop = same_loop<2, smaller>,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable first = cast(eq(a.out[0], a.in[0]), a.out_bar[0].dtype());
      return {a.out_bar[0] * first, a.out_bar[0] * (1 - first)};
    },
    .commutative = true,
});

Variable operator+(Operand a, Operand b) {
  return apply_elementwise(add_op, {a, b});
}

Variable operator-(Operand a, Operand b) {
  return apply_elementwise(sub_op, {a, b});
}

Variable operator*(Operand a, Operand b) {
  return apply_elementwise(mul_op, {a, b});
}

Variable operator/(Operand a, Operand b) {
  const bool integers = !is_float(a.variable.dtype()) && !is_float(b.variable.dtype());
  const std::string_view as = integers ? config().int_division() : "floatX";
  if (as == "int") return int_div(a, b);
  if (as == "raise") {
    throw Error(
        Error::Kind::dtype,
        "int_division=raise: / of two integers",
        "use int_div to round down, or cast one of them to a float")
        .with(describe(a.variable, a.variable.type(), "left"))
        .with(describe(b.variable, b.variable.type(), "right"))
        .at(a.at);
  }
  return apply_elementwise(true_div_op, {a, b});
}

Variable operator%(Operand a, Operand b) {
  return apply_elementwise(mod_op, {a, b});
}

Variable operator-(Operand a) {
  return apply_elementwise(neg_op, {a});
}

Variable int_div(Operand a, Operand b) {
  return apply_elementwise(int_div_op, {a, b});
}

// Integer constants take the smallest dtype that holds them, which powers soon leave: 2 to the
// power 8 is no int8. A constant in a power of integers is int64 instead.
Variable pow(Operand a, Operand b) {
  if (!is_float(a.variable.dtype()) && !is_float(b.variable.dtype())) {
    for (Operand* side : {&a, &b}) {
      if (is_constant(side->variable) && is_signed_integer(side->variable.dtype())) {
        side->variable = cast(side->variable, DType::int64);
      }
    }
  }
  return apply_elementwise(pow_op, {a, b});
}

Variable maximum(Operand a, Operand b) {
  return apply_elementwise(maximum_op, {a, b});
}

Variable minimum(Operand a, Operand b) {
  return apply_elementwise(minimum_op, {a, b});
}

Variable clip(Operand x, Operand low, Operand high) {
  return apply_elementwise(
      minimum_op, {Operand(apply_elementwise(maximum_op, {x, low}), x.at), high});
}

Variable abs(Operand x) {
  return apply_elementwise(abs_op, {x});
}

Variable sgn(Operand x) {
  return apply_elementwise(sgn_op, {x});
}

Variable sqr(Operand x) {
  return apply_elementwise(sqr_op, {x});
}

Variable inv(Operand x) {
  return apply_elementwise(inv_op, {x});
}

}  // namespace hypatia
