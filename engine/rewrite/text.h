#pragma once
// Short texts of expressions for rewrite stories.

#include <string>

#include "engine/expr/variable.h"

namespace hypatia {

/// "log(1 + exp(x))", cut at a few levels.
std::string short_text(const Variable& v, int depth = 4);

}  // namespace hypatia
