// Dims: bounds of the rank, and the text of shapes.

#include "engine/core/dims.h"

#include <algorithm>

#include "engine/core/error.h"

namespace hypatia {

namespace {

void check_rank(std::size_t rank) {
  if (rank <= static_cast<std::size_t>(max_rank)) return;
  throw Error(
      Error::Kind::shape,
      "arrays have at most 8 dimensions, and " + std::to_string(rank) + " were asked for",
      "join some axes with reshape");
}

}  // namespace

Dims::Dims(std::initializer_list<std::int64_t> sizes)
    : Dims(std::span(sizes.begin(), sizes.size())) {}

Dims::Dims(std::span<const std::int64_t> sizes) {
  check_rank(sizes.size());
  std::copy(sizes.begin(), sizes.end(), size_.begin());
  rank_ = static_cast<int>(sizes.size());
}

Dims Dims::filled(int rank, std::int64_t fill) {
  check_rank(static_cast<std::size_t>(rank));
  Dims dims;
  dims.rank_ = rank;
  std::fill(dims.begin(), dims.end(), fill);
  return dims;
}

void Dims::push_back(std::int64_t size) {
  insert(rank_, size);
}

void Dims::erase(int axis) {
  std::copy(begin() + axis + 1, end(), begin() + axis);
  --rank_;
}

void Dims::insert(int axis, std::int64_t size) {
  check_rank(static_cast<std::size_t>(rank_) + 1);
  std::copy_backward(begin() + axis, end(), end() + 1);
  size_[static_cast<std::size_t>(axis)] = size;
  ++rank_;
}

bool Dims::operator==(const Dims& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

std::int64_t elements(const Dims& dims) {
  std::int64_t n = 1;
  for (std::int64_t d : dims)
    n *= d;
  return n;
}

Dims row_major(const Dims& dims) {
  Dims strides = Dims::filled(dims.rank(), 1);
  for (int axis = dims.rank() - 2; axis >= 0; --axis) {
    strides[axis] = strides[axis + 1] * std::max<std::int64_t>(dims[axis + 1], 1);
  }
  return strides;
}

std::string to_text(const Dims& dims) {
  std::string text = "(";
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (axis) text += ", ";
    text += dims[axis] == unknown_dim ? "?" : std::to_string(dims[axis]);
  }
  return text + (dims.rank() == 1 ? ",)" : ")");
}

}  // namespace hypatia
