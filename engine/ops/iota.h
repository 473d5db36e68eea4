#pragma once
// The numbers 0, 1, … n-1 for a size known when a call comes.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// int64 vector 0, 1, … n-1 of a 0-d integer, as shape_i gives it.
Variable iota(Operand n);
/// The identity matrix of n rows.
Variable identity_matrix(Operand n, DType dtype);

extern const Op iota_op;

}  // namespace hypatia
