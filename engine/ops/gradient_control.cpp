#include "engine/ops/gradient_control.h"

#include "engine/core/error.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"

namespace hypatia {

namespace {

// The value passes; nothing else is said.
constexpr Op passing(std::string_view name, std::string_view doc) {
  return elementwise({
      .name = name,
      .doc = doc,
      .dtypes = promoted,
      .text = "{0}",
      .flops = 0,
      .loop = same_loop<1, [](auto x) { return x; }>,
  });
}

constexpr Op passing(
    std::string_view name, std::string_view doc, Vars (*pullback)(const Adjoint& adjoint)) {
  Op op = passing(name, doc);
  op.pullback = pullback;
  op.pushforward = [](const Tangent& t) -> Vars { return {t.in_dot[0]}; };
  return op;
}

Vars clip_pullback(const Adjoint& a) {
  const auto& attrs = a.node.attrs().as<GradClipAttrs>();
  const DType dtype = a.out_bar[0].dtype();
  return {clip(a.out_bar[0], Array(attrs.low).astype(dtype), Array(attrs.high).astype(dtype))};
}

Vars scale_pullback(const Adjoint& a) {
  const double factor = a.node.attrs().as<GradScaleAttrs>().factor;
  return {a.out_bar[0] * Array(factor).astype(a.out_bar[0].dtype())};
}

}  // namespace

constinit const Op zero_grad_op = passing(
    "zero_grad", "x, with a gradient of zero", [](const Adjoint&) -> Vars { return {Variable()}; });
constinit const Op disconnected_grad_op =
    passing("disconnected_grad", "x, cut off from the gradient", [](const Adjoint&) -> Vars {
      return {Variable()};
    });
constinit const Op grad_clip_op =
    passing("grad_clip", "x, with its gradient clipped", clip_pullback);
constinit const Op grad_scale_op =
    passing("grad_scale", "x, with its gradient scaled", scale_pullback);
constinit const Op undefined_grad_op = passing("undefined_grad", "x, without a gradient");

Variable zero_grad(Operand x) {
  return apply_elementwise(zero_grad_op, {x});
}

Variable disconnected_grad(Operand x) {
  return apply_elementwise(disconnected_grad_op, {x});
}

Variable grad_clip(Operand x, double low, double high) {
  if (!(low <= high)) {
    throw Error(Error::Kind::value, "grad_clip: the lower bound is above the upper one").at(x.at);
  }
  return apply_elementwise(grad_clip_op, {x}, GradClipAttrs{low, high});
}

Variable grad_scale(Operand x, double factor) {
  return apply_elementwise(grad_scale_op, {x}, GradScaleAttrs{factor});
}

Variable undefined_grad(Operand x) {
  return apply_elementwise(undefined_grad_op, {x});
}

}  // namespace hypatia
