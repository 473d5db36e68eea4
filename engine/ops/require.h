#pragma once
// What must hold of the numbers of a call.

#include <string>
#include <tuple>

#include "engine/expr/op.h"

namespace hypatia {

/// What the error says; {0}, {1}, … stand for the value and the numbers shown.
struct RequireAttrs {
  std::string message, help;

  auto fields() const { return std::tie(message, help); }
};

/// `value`, a 0-d integer, where `holds` is not 0; else an Error of these words, as soon as the
/// numbers are known: for sizes before anything of the call runs.
Variable require(
    const Variable& value,
    const Variable& holds,
    const RequireAttrs& words,
    Origin at,
    const Vars& shown = {});

extern const Op require_op;

}  // namespace hypatia
