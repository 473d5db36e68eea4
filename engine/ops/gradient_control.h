#pragma once
// Identities whose gradient is another one: zero, cut, clipped, scaled or undefined.

#include <string>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// x, whose gradient is zero.
Variable zero_grad(Operand x);
/// x, through which no gradient flows: as if it were not part of the cost.
Variable disconnected_grad(Operand x);
/// x, whose gradient is clipped to [low, high].
Variable grad_clip(Operand x, double low, double high);
/// x, whose gradient is multiplied by `factor`.
Variable grad_scale(Operand x, double factor);
/// x, whose gradient is an error.
Variable undefined_grad(Operand x);

struct GradClipAttrs {
  double low = 0, high = 0;

  auto fields() const { return std::tie(low, high); }
};

struct GradScaleAttrs {
  double factor = 1;

  auto fields() const { return std::tie(factor); }
};

extern const Op zero_grad_op, disconnected_grad_op, grad_clip_op, grad_scale_op, undefined_grad_op;

}  // namespace hypatia
