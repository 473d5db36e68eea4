#pragma once
// What distinguishes two applications of one op: a struct whose equality, hash and text are
// derived from its `fields()`, never written by hand.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "engine/core/array.h"
#include "engine/core/counted.h"
#include "engine/core/ref.h"

namespace hypatia {

// How single fields compare, hash and print. Field types of later stages overload these.
std::size_t attribute_hash(std::int64_t value);
std::size_t attribute_hash(std::uint64_t value);
std::size_t attribute_hash(double value);
std::size_t attribute_hash(const std::string& value);
std::size_t attribute_hash(const Dims& value);
std::size_t attribute_hash(const Array& value);

std::string attribute_text(std::int64_t value);
std::string attribute_text(std::uint64_t value);
std::string attribute_text(bool value);
std::string attribute_text(double value);
std::string attribute_text(const std::string& value);
std::string attribute_text(const Dims& value);
std::string attribute_text(const Array& value);

inline std::size_t attribute_hash(bool value) {
  return attribute_hash(std::int64_t{value});
}

inline std::size_t attribute_hash(int value) {
  return attribute_hash(std::int64_t{value});
}

inline std::size_t attribute_hash(DType value) {
  return static_cast<std::size_t>(value);
}

inline std::size_t attribute_hash(Place value) {
  return static_cast<std::size_t>(value.context + 1);
}

inline std::string attribute_text(int value) {
  return attribute_text(std::int64_t{value});
}

inline std::string attribute_text(DType value) {
  return std::string(name(value));
}

std::string attribute_text(Place value);

template <class T>
bool attribute_equal(const T& a, const T& b) {
  return a == b;
}

/// Bit for bit, so that NaN equals NaN and 0 differs from -0.
bool attribute_equal(double a, double b);
bool attribute_equal(const Array& a, const Array& b);

template <class T>
std::size_t attribute_hash(const std::vector<T>& values) {
  std::size_t hash = values.size();
  for (const T& v : values)
    hash = hash * 1000003U + attribute_hash(v);
  return hash;
}

inline std::size_t attribute_hash(const std::vector<bool>& values) {
  std::size_t hash = values.size();
  for (bool v : values)
    hash = hash * 3U + (v ? 1U : 2U);
  return hash;
}

template <class T>
std::string attribute_text(const std::vector<T>& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i ? ", " : "") + attribute_text(static_cast<T>(values[i]));
  }
  return text + (values.size() == 1 ? ",)" : ")");
}

/// A shared, immutable attribute struct of any type; empty for ops without attributes.
class Attrs {
 public:
  Attrs() = default;

  /// T is copyable and has `auto fields() const { return std::tie(…); }`.
  template <class T>

  requires requires(const T& t) { t.fields(); }

  // NOLINTNEXTLINE(google-explicit-constructor): any struct with fields() is a set of attributes
  Attrs(T value) : value_(new Holder<T>(std::move(value))) {}

  template <class T>
  const T& as() const {
    return static_cast<const Holder<T>&>(*value_).value;
  }

  /// The struct if it is a T, else null.
  template <class T>
  const T* get_if() const {
    return value_ && value_->kind() == kind_of<T>() ? &as<T>() : nullptr;
  }

  bool empty() const { return !value_; }

  bool operator==(const Attrs& other) const;

  std::size_t hash() const { return value_ ? value_->hash() : 0; }

  /// "a, b" of the fields, "" if there are none.
  std::string text() const { return value_ ? value_->text() : ""; }

 private:
  class Value : public Counted {
   public:
    virtual ~Value() = default;
    virtual const void* kind() const = 0;
    virtual bool equals(const Value& other) const = 0;
    virtual std::size_t hash() const = 0;
    virtual std::string text() const = 0;
  };

  template <class T>
  static const void* kind_of() {
    static constexpr char tag = 0;
    return &tag;
  }

  template <class T>
  class Holder;

  friend void retain(const Value* v) { v->add_owner(); }

  friend void release(const Value* v) {
    if (v->drop_owner()) delete v;
  }

  Ref<const Value> value_;
};

template <class T>
class Attrs::Holder final : public Attrs::Value {
 public:
  explicit Holder(T v) : value(std::move(v)) {}

  const void* kind() const override { return kind_of<T>(); }

  bool equals(const Value& other) const override {
    if (other.kind() != kind()) return false;
    const auto a = value.fields();
    const auto b = static_cast<const Holder&>(other).value.fields();
    return equal_from<0>(a, b);
  }

  std::size_t hash() const override {
    return std::apply(
        [](const auto&... field) {
          std::size_t hash = 17;
          ((hash = hash * 1000003U + attribute_hash(field)), ...);
          return hash;
        },
        value.fields());
  }

  std::string text() const override {
    return std::apply(
        [](const auto&... field) {
          std::string text;
          ((text += (text.empty() ? "" : ", ") + attribute_text(field)), ...);
          return text;
        },
        value.fields());
  }

  T value;

 private:
  template <std::size_t i, class Tuple>
  static bool equal_from(const Tuple& a, const Tuple& b) {
    if constexpr (i < std::tuple_size_v<Tuple>) {
      return attribute_equal(std::get<i>(a), std::get<i>(b)) && equal_from<i + 1>(a, b);
    }
    return true;
  }
};

}  // namespace hypatia
