// Elementwise ops that change dtype or shape and compute nothing: cast, fill, identity.
#include "engine/core/convert.h"

#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

ScalarTypes cast_types(const Attrs& attrs, std::span<const DType> in) {
  return {in[0], attrs.as<CastAttrs>().to};
}

// The conversions that C leaves undefined are those of core/convert.h.
void cast_loop(const ScalarCall& call) {
  visit(call.operand, [&](auto from) {
    visit(call.result, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      run_loop<convert<To, From>, From, To>(call, std::make_index_sequence<1>());
    });
  });
}

ScalarTypes second_types(const Attrs&, std::span<const DType> in) {
  return {in[1], in[1]};
}

}  // namespace

constinit const Op cast_op = elementwise({
    .name = "Cast",
    .doc = "the same values in another dtype",
    .dtypes = cast_types,
    .text = "{0}",
    .flops = 0,
    .loop = cast_loop,
    .pullback = [](const Adjoint& a) -> Vars {
      return {is_float(a.in[0].dtype()) ? cast(a.out_bar[0], a.in[0].dtype()) : Variable()};
    },
});

constinit const Op fill_op = elementwise({
    .name = "fill",
    .doc = "the second operand's values in the first one's shape",
    .arity = 2,
    .dtypes = second_types,
    .text = "{1}",
    .flops = 0,
    .loop = same_loop<2, [](auto, auto value) { return value; }>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {Variable(), a.out_bar[0]};
    },
});

constinit const Op identity_op = elementwise({
    .name = "identity",
    .doc = "x",
    .dtypes = promoted,
    .text = "{0}",
    .flops = 0,
    .loop = same_loop<1, [](auto x) { return x; }>,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0]}; },
});

Variable cast(Operand x, DType dtype) {
  if (x.variable.dtype() == dtype) return x;
  return apply_elementwise(cast_op, {x}, CastAttrs{dtype});
}

Variable fill(Operand model, Operand value) {
  return apply_elementwise(fill_op, {model, value});
}

Variable identity(Operand x) {
  return apply_elementwise(identity_op, {x});
}

namespace {

Variable like(const Operand& x, double number) {
  const Array value = Array(number).astype(x.variable.dtype());
  return apply_elementwise(fill_op, {x, Operand(value, x.at)});
}

}  // namespace

Variable zeros_like(Operand x) {
  return like(x, 0);
}

Variable ones_like(Operand x) {
  return like(x, 1);
}

}  // namespace hypatia
