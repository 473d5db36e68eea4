// Comparisons, logic and choice: their descriptors and the operators that apply them.
#include "engine/ops/compare.h"

#include <cmath>
#include <type_traits>

#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

template <class T>
void choose(const ScalarCall& call) {
  const bool* condition = static_cast<const bool*>(call.in[0]);
  const T* a = static_cast<const T*>(call.in[1]);
  const T* b = static_cast<const T*>(call.in[2]);
  T* out = static_cast<T*>(call.out);
  for (std::int64_t i = 0; i < call.n; ++i)
    out[i] = condition[i] ? a[i] : b[i];
}

void switch_loop(const ScalarCall& call) {
  visit(call.operand, [&](auto zero) { choose<decltype(zero)>(call); });
}

Vars switch_pullback(const Adjoint& a) {
  const Variable& bar = a.out_bar[0];
  const Variable zero = zeros_like(bar);
  return {Variable(), switch_(a.in[0], bar, zero), switch_(a.in[0], zero, bar)};
}

template <auto f>
constexpr auto on_integers = [](auto x, auto y) {
  if constexpr (std::is_integral_v<decltype(x)>) {
    return f(x, y);
  } else {
    return x;
  }
};

constexpr auto both = on_integers<[](auto x, auto y) { return x & y; }>;
constexpr auto either = on_integers<[](auto x, auto y) { return x | y; }>;
constexpr auto one_of = on_integers<[](auto x, auto y) { return x ^ y; }>;

constexpr auto complement = [](auto x) {
  if constexpr (std::is_same_v<decltype(x), bool>) {
    return !x;
  } else if constexpr (std::is_integral_v<decltype(x)>) {
    return ~x;
  } else {
    return x;
  }
};

std::string complement_text(const Attrs&, DType dtype) {
  return dtype == DType::boolean ? "!{0}" : "~{0}";
}

/// A comparison's entry.
constexpr Op comparison(
    std::string_view name,
    std::string_view doc,
    std::string_view text,
    void (*loop)(const ScalarCall&),
    bool commutative = false) {
  return elementwise({
      .name = name,
      .doc = doc,
      .arity = 2,
      .dtypes = compared,
      .text = text,
      .loop = loop,
      .commutative = commutative,
  });
}

constexpr auto less = [](auto x, auto y) { return x < y; };
constexpr auto less_equal = [](auto x, auto y) { return x <= y; };
constexpr auto greater = [](auto x, auto y) { return x > y; };
constexpr auto greater_equal = [](auto x, auto y) { return x >= y; };
constexpr auto equal = [](auto x, auto y) { return x == y; };
constexpr auto not_equal = [](auto x, auto y) { return x != y; };

}  // namespace

constinit const Op lt_op = comparison("lt", "x < y", "{0} < {1}", test_loop<2, less>);
constinit const Op le_op = comparison("le", "x <= y", "{0} <= {1}", test_loop<2, less_equal>);
constinit const Op gt_op = comparison("gt", "x > y", "{0} > {1}", test_loop<2, greater>);
constinit const Op ge_op = comparison("ge", "x >= y", "{0} >= {1}", test_loop<2, greater_equal>);
constinit const Op eq_op = comparison("eq", "x equals y", "{0} == {1}", test_loop<2, equal>, true);
constinit const Op neq_op =
    comparison("neq", "x differs from y", "{0} != {1}", test_loop<2, not_equal>, true);

constinit const Op isnan_op = elementwise({
    .name = "isnan",
    .doc = "true of NaN",
    .dtypes = compared,
    .text = "{0} != {0}",
    .loop = test_loop<1, [](auto x) { return x != x; }>,
});

constinit const Op isinf_op = elementwise({
    .name = "isinf",
    .doc = "true of plus and minus infinity",
    .dtypes = compared,
    .flops = 2,
    .loop = test_loop<
        1,
        [](auto x) {
          if constexpr (std::is_floating_point_v<decltype(x)>) {
            return std::isinf(x);
          } else {
            return false;
          }
        }>,
    .text_of = [](const Attrs&, DType dtype) -> std::string {
      return is_float(dtype) ? "{0} == {0} && {0} - {0} != {0} - {0}" : "0";
    },
});

constinit const Op and_op = elementwise({
    .name = "and_",
    .doc = "bitwise and; logical and of bools",
    .arity = 2,
    .dtypes = bitwise,
    .text = "{0} & {1}",
    .loop = same_loop<2, both>,
    .commutative = true,
});

constinit const Op or_op = elementwise({
    .name = "or_",
    .doc = "bitwise or; logical or of bools",
    .arity = 2,
    .dtypes = bitwise,
    .text = "{0} | {1}",
    .loop = same_loop<2, either>,
    .commutative = true,
});

constinit const Op xor_op = elementwise({
    .name = "xor",
    .doc = "bitwise exclusive or",
    .arity = 2,
    .dtypes = bitwise,
    .text = "{0} ^ {1}",
    .loop = same_loop<2, one_of>,
    .commutative = true,
});

constinit const Op invert_op = elementwise({
    .name = "invert",
    .doc = "bitwise complement; not of bools",
    .dtypes = bitwise,
    .loop = same_loop<1, complement>,
    .text_of = complement_text,
});

constinit const Op switch_op = elementwise({
    .name = "switch",
    .doc = "elements of the second where the first holds, else of the third",
    .arity = 3,
    .dtypes = chosen,
    .text = "({0} ? {1} : {2})",
    .loop = switch_loop,
    .pullback = switch_pullback,
});

Variable operator<(Operand a, Operand b) {
  return apply_elementwise(lt_op, {a, b});
}

Variable operator<=(Operand a, Operand b) {
  return apply_elementwise(le_op, {a, b});
}

Variable operator>(Operand a, Operand b) {
  return apply_elementwise(gt_op, {a, b});
}

Variable operator>=(Operand a, Operand b) {
  return apply_elementwise(ge_op, {a, b});
}

Variable eq(Operand a, Operand b) {
  return apply_elementwise(eq_op, {a, b});
}

Variable neq(Operand a, Operand b) {
  return apply_elementwise(neq_op, {a, b});
}

Variable isnan(Operand x) {
  return apply_elementwise(isnan_op, {x});
}

Variable isinf(Operand x) {
  return apply_elementwise(isinf_op, {x});
}

Variable operator&(Operand a, Operand b) {
  return apply_elementwise(and_op, {a, b});
}

Variable operator|(Operand a, Operand b) {
  return apply_elementwise(or_op, {a, b});
}

Variable operator^(Operand a, Operand b) {
  return apply_elementwise(xor_op, {a, b});
}

Variable operator~(Operand a) {
  return apply_elementwise(invert_op, {a});
}

Variable switch_(Operand condition, Operand a, Operand b) {
  return apply_elementwise(switch_op, {condition, a, b});
}

Variable where(Operand condition, Operand a, Operand b) {
  return apply_elementwise(switch_op, {condition, a, b});
}

}  // namespace hypatia
