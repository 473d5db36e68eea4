// What a Type says of itself and to people.

#include "engine/core/type.h"

#include "engine/core/contexts.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

std::string pattern_text(const Type& t) {
  std::string text = "(";
  for (int i = 0; i < t.rank(); ++i) {
    if (i) text += ", ";
    text += t.broadcastable(i) ? "True" : "False";
  }
  return text + (t.rank() == 1 ? ",)" : ")");
}

/// The word for a pattern that has one: scalar, vector, matrix, row, col, 3D, 4D, …
std::string shape_word(const Type& t) {
  bool any = false;
  for (int i = 0; i < t.rank(); ++i)
    any |= t.broadcastable(i);
  if (t.rank() == 2 && any) {
    if (t.broadcastable(0) && !t.broadcastable(1)) return "row";
    if (!t.broadcastable(0) && t.broadcastable(1)) return "col";
  }
  if (any) return pattern_text(t);
  if (t.rank() > 2) return std::to_string(t.rank()) + "D";
  return t.rank() == 0 ? "scalar" : t.rank() == 1 ? "vector" : "matrix";
}

}  // namespace

Type::Type(DType dtype, int rank) : dims_(Dims::filled(rank, unknown_dim)), dtype_(dtype) {}

Type::Type(DType dtype, const Dims& dims) : dims_(dims), dtype_(dtype) {}

Type Type::of_pattern(DType dtype, const std::vector<bool>& broadcastable) {
  Type type(dtype, 0);
  for (bool b : broadcastable)
    type.push_axis(b ? 1 : unknown_dim, b);
  return type;
}

std::vector<bool> Type::broadcastable() const {
  std::vector<bool> pattern;
  for (int i = 0; i < rank(); ++i)
    pattern.push_back(broadcastable(i));
  return pattern;
}

bool Type::known() const {
  for (std::int64_t d : dims_) {
    if (d == unknown_dim) return false;
  }
  return true;
}

Type Type::with_dtype(DType dtype) const {
  Type t = *this;
  t.dtype_ = dtype;
  return t;
}

Type Type::with_place(Place place) const {
  Type t = *this;
  t.place_ = place;
  return t;
}

Type Type::with_dims(const Dims& dims) const {
  if (dims.rank() != rank()) {
    throw Error(
        Error::Kind::shape,
        "wrong number of dimensions: expected " + std::to_string(rank()) + ", got " +
            std::to_string(dims.rank()) + " with shape " + to_text(dims));
  }
  Type t = *this;
  for (int i = 0; i < rank(); ++i) {
    if (dims[i] == unknown_dim) continue;
    if (broadcastable(i) && dims[i] != 1) {
      throw Error(
          Error::Kind::shape,
          "axis " + std::to_string(i) + " is broadcastable, which promises size 1, and has size " +
              std::to_string(dims[i]),
          "make the variable with broadcastable=false on that axis");
    }
    if (dims_[i] != unknown_dim && dims_[i] != dims[i]) {
      throw Error(
          Error::Kind::shape,
          "axis " + std::to_string(i) + " has size " + std::to_string(dims_[i]) + ", and " +
              std::to_string(dims[i]) + " came");
    }
    t.dims_[i] = dims[i];
  }
  return t;
}

void Type::push_axis(std::int64_t size, bool broadcastable) {
  dims_.push_back(broadcastable ? 1 : size);
  if (broadcastable) pattern_ = static_cast<std::uint8_t>(pattern_ | (1U << (rank() - 1)));
}

bool Type::same(const Type& other) const {
  return dtype_ == other.dtype_ && rank() == other.rank() && pattern_ == other.pattern_ &&
         place_ == other.place_;
}

bool Type::operator==(const Type& other) const {
  return same(other) && dims_ == other.dims_;
}

std::string to_text(const Type& type) {
  const std::string dtype(name(type.dtype()));
  if (type.place().on_host()) return "TensorType(" + dtype + ", " + shape_word(type) + ")";
  return "GpuArrayType<" + context_name(type.place()) + ">(" + dtype + ", " + pattern_text(type) +
         ")";
}

std::string brief(const Type& type) {
  std::string text(name(type.dtype()));
  text += "[";
  for (int i = 0; i < type.rank(); ++i) {
    if (i) text += ", ";
    text += type.dims()[i] == unknown_dim ? "?" : std::to_string(type.dims()[i]);
  }
  text += "]";
  return type.place().on_host() ? text : text + " on the GPU";
}

}  // namespace hypatia
