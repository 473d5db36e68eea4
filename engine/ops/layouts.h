#pragma once
// Reference evaluation of views and assemblies, from the layouts that plans use.

#include "engine/expr/op.h"

namespace hypatia {

std::vector<Array> eval_view(const EvalCall& call);
std::vector<Array> eval_assembly(const EvalCall& call);
/// The number in a known 0-d integer.
std::int64_t whole_number(const Array& value);
/// x as an int64 number for the size inputs of ops; throws Error on arrays and floats.
Variable as_size(const Variable& x, Origin at);
/// The sizes of all axes of x.
Vars sizes_of(const Variable& x, Origin at);

}  // namespace hypatia
