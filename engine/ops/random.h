#pragma once
// Random numbers by position: the same draw for the same place, call and key, on every device.

#include <cstdint>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"
#include "engine/ops/math.h"

namespace hypatia {

/// 64 bits of Philox4x32-10 (Salmon and others, 2011) at a place of a call's draws.
std::uint64_t random_bits(std::uint64_t place, std::uint64_t call, std::uint64_t key);

/// Uniform numbers in [0, 1), of float32 (24 bits) or float64 (53): one for each place, for the
/// number of the call and the key of the stream, which are 0-d integers.
Variable random_uniform(Operand place, Operand call, Operand key, DType dtype);

/// Attributes are CastAttrs: the result's dtype.
extern const Op random_uniform_op;

}  // namespace hypatia
