#pragma once
// Ops' attributes in saved functions: the struct's name, then its fields in their order.

#include "engine/expr/attrs.h"
#include "engine/run/saved_text.h"

namespace hypatia {

/// Throws Error of kind graph for a struct that has no form in files.
void save_attrs(const Attrs& attrs, const std::string& op, SavedWriter* out);
Attrs load_attrs(SavedReader* in);

}  // namespace hypatia
