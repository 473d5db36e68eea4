#pragma once
// ifelse: a whole branch or the other, by one condition; the one not taken does not run.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// `then` where the condition (one number, not zero) holds, else `otherwise`; both have one rank,
/// and the result has the sizes of the branch taken. What only the other branch needs is not
/// computed; switch_ computes both, element by element. Throws Error on arrays as conditions and on
/// other ranks.
Variable ifelse(Operand condition, Operand then, Operand otherwise);
/// Several values by one condition: as many of one branch as of the other.
Vars ifelse(Operand condition, const Operands& then, const Operands& otherwise);

/// Inputs: the condition as a bool, the values of `then`, those of `otherwise`.
extern const Op ifelse_op;

/// The types of the branch that the condition takes; where it is not known, sizes that differ
/// aren't either.
void infer_branches(
    const Array* condition,
    std::span<const Type> then,
    std::span<const Type> otherwise,
    Types& out);

}  // namespace hypatia
