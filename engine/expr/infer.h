#pragma once
// Asking an op's type rule and its evaluation, with errors told in the user's terms.

#include "engine/core/error.h"
#include "engine/expr/op.h"

namespace hypatia {

/// The output types; a rule's Error gets the operands, with the types of this call, and the place.
Types infer_types(const TypeCall& call, std::span<const Variable> inputs, const Origin& at);

/// A node's values by its op's own evaluation; an Error gets the place.
std::vector<Array> evaluated(
    const Apply& node, std::span<const Array> in, std::span<const Type> out);

/// How errors speak of a variable: role, type, name, line.
Error::Operand describe(const Variable& v, const Type& type, const std::string& role);

}  // namespace hypatia
