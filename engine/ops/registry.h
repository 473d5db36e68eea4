#pragma once
// The list of all ops: what tests loop over, and what stored graphs are read back with.

#include <span>
#include <string_view>

#include "engine/expr/op.h"

namespace hypatia {

/// Every op of the vocabulary, leaves left out, family by family.
std::span<const Op* const> all_ops();
/// The op of that name, or null.
const Op* find_op(std::string_view name);

}  // namespace hypatia
