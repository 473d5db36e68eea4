#pragma once
// Shared variables: values that live between calls, on the host or on the function's device.

#include <string>

#include "engine/core/accept.h"
#include "engine/expr/leaves.h"

namespace hypatia {

struct SharedOptions {
  /// Alias the caller's array instead of copying it (host only).
  bool borrow = false;
  /// "cpu", "" (the default device) or a context's name.
  std::string target = {};
  /// One entry an axis; empty: none broadcastable.
  std::vector<bool> broadcastable = {};
  /// set_value takes exactly this dtype only.
  bool strict = false;
  /// How set_value takes wider values.
  Downcast allow_downcast = Downcast::numbers;
};

/// How a value goes in or out: x.get_value({.borrow = true}), or x.get_value(true) in short.
struct Borrowing {
  bool borrow = false;
};

/// A shared variable; usable wherever a Variable is.
class Shared : public Variable {
 public:
  Shared() = default;

  explicit Shared(Variable v) : Variable(std::move(v)) {}

  /// A copy on the host; with borrow the internal array where it is on the host already.
  Array get_value(bool borrow = false) const;

  Array get_value(Borrowing how) const { return get_value(how.borrow); }

  /// The internal array, on its device: itself with borrow, else a copy there.
  Array get_device_value(bool borrow = false) const;

  Array get_device_value(Borrowing how) const { return get_device_value(how.borrow); }

  /// The value that functions give it after every call, unless they update it otherwise.
  void set_default_update(const Variable& value) const;

  /// Replaces the value. The rank must be the variable's, and the dtype its own or one that it
  /// takes by SharedOptions; throws Error else. With borrow it aliases an array of its dtype and
  /// place.
  void set_value(const Array& value, bool borrow = false) const;

  void set_value(const Array& value, Borrowing how) const { set_value(value, how.borrow); }

  /// All elements become 0.
  void zero() const;
};

/// A shared variable of the value's dtype. Arrays and floats lie on the configured device, 0-d
/// integers and bools on the host.
Shared shared(
    const Array& value,
    const std::string& name = "",
    const SharedOptions& options = {},
    Origin at = Origin::here());

/// The same without a name: shared(a, {.borrow = true}).
Shared shared(const Array& value, const SharedOptions& options, Origin at = Origin::here());

}  // namespace hypatia
