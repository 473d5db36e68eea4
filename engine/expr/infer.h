#pragma once
// Asking an op's type rule, with errors told in the user's terms.

#include "engine/core/error.h"
#include "engine/expr/op.h"

namespace hypatia {

/// The output types; a rule's Error gets the operands, with the types of this call, and the place.
Types infer_types(const TypeCall& call, std::span<const Variable> inputs, const Origin& at);

/// How errors speak of a variable: role, type, name, line.
Error::Operand describe(const Variable& v, const Type& type, const std::string& role);

}  // namespace hypatia
