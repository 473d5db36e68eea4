#pragma once
// Shared variables: values that live between calls, on the host or on the function's device.

#include <string>

#include "engine/expr/leaves.h"

namespace hypatia {

struct SharedOptions {
  /// Alias the caller's array instead of copying it (host only).
  bool borrow = false;
  /// "cpu", "" (the default device) or a context's name.
  std::string target = {};
  /// One entry an axis; empty: none broadcastable.
  std::vector<bool> broadcastable = {};
};

/// A shared variable; usable wherever a Variable is.
class Shared : public Variable {
 public:
  Shared() = default;

  explicit Shared(Variable v) : Variable(std::move(v)) {}

  /// A copy on the host; with borrow the internal array where it is on the host already.
  Array get_value(bool borrow = false) const;
  /// The internal array, on its device: itself with borrow, else a copy there.
  Array get_device_value(bool borrow = false) const;
  /// The value that functions give it after every call, unless they update it otherwise.
  void set_default_update(const Variable& value) const;

  /// Replaces the value; dtype and rank must be the variable's. Throws Error else.
  void set_value(const Array& value, bool borrow = false) const;
};

/// A shared variable of the value's dtype. Arrays and floats lie on the configured device, 0-d
/// integers and bools on the host.
Shared shared(
    const Array& value,
    const std::string& name = "",
    const SharedOptions& options = {},
    Origin at = Origin::here());

}  // namespace hypatia
