#pragma once
// Moves between places.

#include <string>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

struct TransferAttrs {
  Place to;
  std::string reason;  // why it is there, for reports; not part of what it is

  auto fields() const { return std::tie(to); }
};

/// The value on another place; itself if it is there already.
Variable transfer(Operand x, Place to, const std::string& reason = "");
/// The place of "cpu", "" (the default context) or a name that the flag `contexts` maps.
Place place_named(const std::string& target);

extern const Op transfer_op;

}  // namespace hypatia
