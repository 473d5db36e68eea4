#pragma once
// How a function's inputs are declared and given: defaults, names, private state, checks.

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/accept.h"
#include "engine/core/array.h"
#include "engine/expr/variable.h"

namespace hypatia {

/// A value that may be absent: a default, written as a number or an array.
struct Default {
  bool given = false;
  Array value;

  Default() = default;

  template <class T>

  // NOLINTNEXTLINE(google-explicit-constructor): a default is written as its value
  requires std::is_convertible_v<T, Array> Default(const T& v) : given(true), value(v) {}
};

struct InOptions {
  /// Used where a call leaves the input out; as it was again after every call.
  Default value = {};
  /// The name for keyword arguments; by default the variable's.
  std::string name = {};
  /// The default's new value after a call: private state. Needs a value.
  Variable update = {};
  /// Theano's permission to alias the caller's array. It changes nothing: no call copies what it is
  /// given, or writes into it.
  bool borrow = false;
  /// Accept exactly this dtype only.
  bool strict = false;
  /// How wider values are taken.
  Downcast allow_downcast = Downcast::numbers;
};

/// One input. A variable alone is an input without options.
struct In {
  Variable variable;
  InOptions options;

  In(const Variable& v) : variable(v) {}  // NOLINT(google-explicit-constructor)

  In(const Variable& v, InOptions o) : variable(v), options(std::move(o)) {}
};

struct OutOptions {
  /// Theano's permission to hand over the function's own memory. It changes nothing: results are
  /// never copied, and stay valid as long as they are held.
  bool borrow = false;
};

/// One output with options: Out(y, {.borrow = true}). It is a variable like any other.
struct Out : Variable {
  explicit Out(const Variable& v, OutOptions /*options*/ = {}) : Variable(v) {}
};

/// A keyword argument: f(33, named("w", 1)).
struct Named {
  std::string name;
  Array value;
};

inline Named named(std::string name, const Array& value) {
  return {std::move(name), value};
}

}  // namespace hypatia
