#pragma once
// Variable and Apply: a symbolic value, and the application of an op that makes it.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/array.h"
#include "engine/core/origin.h"
#include "engine/core/ref.h"
#include "engine/core/type.h"
#include "engine/expr/attrs.h"

namespace hypatia {

class Apply;
class Variable;
struct Op;
struct Index;

using Vars = std::vector<Variable>;
using Types = std::vector<Type>;

/// An array, or none yet.
class TestValue {
 public:
  TestValue& operator=(const Array& value) {
    value_ = value;
    given_ = true;
    return *this;
  }

  explicit operator bool() const { return given_; }

  const Array& operator*() const { return value_; }

 private:
  Array value_;
  bool given_ = false;
};

/// What the user notes on a variable.
struct Tag {
  std::string name;
  /// What it may be, for the flag compute_test_value: x.tag().test_value = Array({1, 2}).
  TestValue test_value;
};

/// Throws the Error of an empty variable: one that stands for no value.
[[noreturn]] void no_variable(const char* expected, const Origin& at = {});

void retain(const Apply* node);
void release(const Apply* node);

/// A symbolic value: an output of an application. Two words, copied freely, immutable but for
/// its name. The methods build new applications; functions of the same names do the same.
class Variable {
 public:
  Variable() = default;

  Variable(Ref<const Apply> node, std::uint32_t index) : node_(std::move(node)), index_(index) {}

  /// False for the default-constructed, which stands for "no variable".
  explicit operator bool() const { return static_cast<bool>(node_); }

  /// Throws Error of kind graph for an empty variable, as all that asks of a value does.
  const Apply& node() const {
    if (!node_) no_variable("a value");
    return *node_;
  }

  const Ref<const Apply>& ref() const { return node_; }

  /// The application that computes it; null for inputs, constants and shared variables.
  const Apply* owner() const;

  /// Which output of its application it is.
  int index() const { return static_cast<int>(index_); }

  const Type& type() const;

  DType dtype() const { return type().dtype(); }

  int ndim() const { return type().rank(); }

  std::vector<bool> broadcastable() const { return type().broadcastable(); }

  /// The name given at creation or by set_name; "" if none.
  const std::string& name() const;
  const Variable& set_name(std::string name) const;
  /// The notes on it, to be read and changed.
  Tag& tag() const;
  /// A free variable of the same type and name.
  Variable clone(Origin at = Origin::here()) const;

  /// Identity: the same output of the same application.
  bool operator==(const Variable& other) const {
    return node_ == other.node_ && index_ == other.index_;
  }

  // Shape and type.
  Variable shape(Origin at = Origin::here()) const;
  Variable shape(int axis, Origin at = Origin::here()) const;
  /// How many elements: int64, 0-d.
  Variable size(Origin at = Origin::here()) const;
  Variable T(Origin at = Origin::here()) const;
  Variable transpose(std::initializer_list<int> axes, Origin at = Origin::here()) const;
  Variable swapaxes(int a, int b, Origin at = Origin::here()) const;
  Variable squeeze(Origin at = Origin::here()) const;
  Variable astype(DType dtype, Origin at = Origin::here()) const;
  /// Axes to keep in order, or -1 for a new broadcastable one: x.dimshuffle({-1, 0}).
  Variable dimshuffle(std::initializer_list<int> pattern, Origin at = Origin::here()) const;
  Variable reshape(std::initializer_list<std::int64_t> dims, Origin at = Origin::here()) const;
  Variable flatten(Origin at = Origin::here()) const;
  Variable flatten(int ndim, Origin at = Origin::here()) const;
  /// A part of it: x[0], x[i], x[slice(1, 5)], x[mask]; engine/expr/index.h has the words.
  Variable operator[](const Index& index) const;
  /// Several axes at once: x(slice(1, 5), every, -1).
  Variable operator()(const Index& first) const;
  Variable operator()(const Index& first, const Index& second) const;
  Variable operator()(const Index& first, const Index& second, const Index& third) const;
  Variable operator()(
      const Index& first, const Index& second, const Index& third, const Index& fourth) const;
  Vars nonzero(Origin at = Origin::here()) const;
  Variable diagonal(Origin at = Origin::here()) const;
  // Reductions over all axes, or one.
  Variable sum(Origin at = Origin::here()) const;
  Variable sum(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable mean(Origin at = Origin::here()) const;
  Variable mean(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable var(Origin at = Origin::here()) const;
  Variable var(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable std(Origin at = Origin::here()) const;
  Variable std(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable prod(Origin at = Origin::here()) const;
  Variable prod(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable max(Origin at = Origin::here()) const;
  Variable max(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable min(Origin at = Origin::here()) const;
  Variable min(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable argmax(Origin at = Origin::here()) const;
  Variable argmax(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable argmin(Origin at = Origin::here()) const;
  Variable argmin(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable any(Origin at = Origin::here()) const;
  Variable any(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable all(Origin at = Origin::here()) const;
  Variable all(int axis, bool keepdims = false, Origin at = Origin::here()) const;
  Variable norm(Origin at = Origin::here()) const;
  Variable trace(Origin at = Origin::here()) const;
  // Along an axis.
  Variable sort(int axis = -1, Origin at = Origin::here()) const;
  Variable argsort(int axis = -1, Origin at = Origin::here()) const;
  Variable cumsum(int axis = 0, Origin at = Origin::here()) const;
  Variable cumprod(int axis = 0, Origin at = Origin::here()) const;
  // With another value.
  Variable dot(const Variable& other, Origin at = Origin::here()) const;
  Variable take(const Variable& indices, int axis, Origin at = Origin::here()) const;
  Variable fill(const Variable& value, Origin at = Origin::here()) const;
  /// Its value for these inputs: z.eval({{x, 1.0}, {y, 2.0}}).
  Array eval(
      const std::vector<std::pair<Variable, Array>>& inputs = {}, Origin at = Origin::here()) const;
  /// The value on another place: "cpu", "" (the default context) or a context's name.
  Variable transfer(const std::string& target, Origin at = Origin::here()) const;

 private:
  Ref<const Apply> node_;
  std::uint32_t index_ = 0;
};

/// One application: op, attributes, inputs, output types and the user's line. It owns its outputs,
/// so that there are no cycles; long chains are freed without recursion.
class Apply : public Counted {
 public:
  /// Asks the op's type rule; throws its Error with operands and place added.
  static Ref<const Apply> make(const Op& op, Vars inputs, Attrs attrs = {}, Origin at = {});
  /// With output types that are known already (leaves, rewrites that keep them).
  static Ref<const Apply> make_typed(
      const Op& op, Vars inputs, Attrs attrs, Types outputs, Origin at);

  const Op& op() const { return *op_; }

  const Attrs& attrs() const { return attrs_; }

  const Vars& inputs() const { return inputs_; }

  const Variable& input(int i) const { return inputs_[static_cast<std::size_t>(i)]; }

  const Types& types() const { return types_; }

  const Type& type(int output) const { return types_[static_cast<std::size_t>(output)]; }

  int outputs() const { return static_cast<int>(types_.size()); }

  const Origin& origin() const { return origin_; }

  /// The names of its outputs; empty strings where the user gave none.
  const std::string& name(int output) const;
  void set_name(int output, std::string name) const;
  /// The notes on an output.
  Tag& tag(int output) const;
  /// The note of that name; null if there is none.
  const Array* test_value(int output) const;

 private:
  friend void release(const Apply* node);

  Apply(const Op& op, Vars inputs, Attrs attrs, Types types, Origin at);
  ~Apply() = default;

  const Op* op_;
  Attrs attrs_;
  Vars inputs_;
  Types types_;
  Origin origin_;
  mutable std::vector<Tag> tags_;  // empty, or one an output
};

/// An application's first output, and all of them.
Variable apply(const Op& op, Vars inputs, Attrs attrs = {}, Origin at = {});
Vars apply_all(const Op& op, Vars inputs, Attrs attrs = {}, Origin at = {});

/// For hash tables keyed by variables.
struct VariableHash {
  std::size_t operator()(const Variable& v) const {
    return reinterpret_cast<std::size_t>(v.ref().get()) / 16 + static_cast<std::size_t>(v.index());
  }
};

}  // namespace hypatia
