#pragma once
// Comparisons, logic and choice, element by element.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

// bool results. == and != on variables are identity; eq and neq compare values.
Variable operator<(Operand a, Operand b);
Variable operator<=(Operand a, Operand b);
Variable operator>(Operand a, Operand b);
Variable operator>=(Operand a, Operand b);
Variable eq(Operand a, Operand b);
Variable neq(Operand a, Operand b);
Variable isnan(Operand x);
Variable isinf(Operand x);

// Bitwise on integers, logical on bool.
Variable operator&(Operand a, Operand b);
Variable operator|(Operand a, Operand b);
Variable operator^(Operand a, Operand b);
Variable operator~(Operand a);

/// Elements of `a` where the condition holds, else of `b`; both are computed.
Variable switch_(Operand condition, Operand a, Operand b);
/// The same as switch_, by NumPy's name.
Variable where(Operand condition, Operand a, Operand b);

extern const Op lt_op, le_op, gt_op, ge_op, eq_op, neq_op, isnan_op, isinf_op, and_op, or_op,
    xor_op, invert_op, switch_op;

}  // namespace hypatia
