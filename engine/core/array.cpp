// What an Array says of itself, how it is made, and the views that share its bytes.

#include "engine/core/array.h"

#include <algorithm>
#include <cmath>

#include "engine/core/bytes.h"
#include "engine/core/convert.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

Dims in_bytes(Dims strides, DType dtype) {
  for (std::int64_t& s : strides)
    s *= size_of(dtype);
  return strides;
}

template <class T>
void set_only(const Array& a, T value) {
  *static_cast<T*>(a.address()) = value;
}

std::int64_t wrapped(std::int64_t index, std::int64_t size, int axis) {
  const std::int64_t i = index < 0 ? index + size : index;
  if (i >= 0 && i < size) return i;
  throw Error(
      Error::Kind::shape,
      "index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) +
          " with size " + std::to_string(size));
}

int wrapped_axis(int axis, int rank) {
  const int a = axis < 0 ? axis + rank : axis;
  if (a >= 0 && a < rank) return a;
  throw Error(
      Error::Kind::shape,
      "axis " + std::to_string(axis) + " is out of bounds for an array of " + std::to_string(rank) +
          " dimensions");
}

[[noreturn]] void not_on_host(const Array& a, const std::string& wish) {
  throw Error(
      Error::Kind::device,
      wish + " of " + brief(a.type()) + " can't be done from the host",
      "copy the value first: asarray(value)");
}

}  // namespace

std::size_t bytes_of(DType dtype, const Dims& dims) {
  std::int64_t bytes = size_of(dtype);
  bool overflow = false;
  for (std::int64_t d : dims) {
    if (d < 0) {
      throw Error(
          Error::Kind::shape,
          "an array can't have shape " + to_text(dims),
          "sizes are 0 or more and known when an array is made");
    }
    overflow |= d != 0 && __builtin_mul_overflow(bytes, d, &bytes);
  }
  if (overflow) {
    throw Error(
        Error::Kind::memory,
        "an array of shape " + to_text(dims) + " has more bytes than an address space",
        "check the sizes");
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  return static_cast<std::size_t>(bytes);
}

// Default-made arrays share one storage, so that making one costs no memory.
Array::Array() : dims_{0}, strides_{8} {
  static const Ref<Storage>& none = *new Ref<Storage>(allocate_host(0));
  storage_ = none;
}

Array::Array(DType dtype, const Dims& dims)
    : storage_(allocate_host(bytes_of(dtype, dims))),
      dtype_(dtype),
      dims_(dims),
      strides_(in_bytes(row_major(dims), dtype)) {}

Array::Array(
    Ref<Storage> storage, DType dtype, const Dims& dims, const Dims& strides, std::int64_t offset)
    : storage_(std::move(storage)),
      dtype_(dtype),
      dims_(dims),
      strides_(strides),
      offset_(offset) {}

Array::Array(double value) : Array(DType::float64, Dims{}) {
  set_only(*this, value);
}

Array::Array(float value) : Array(DType::float32, Dims{}) {
  set_only(*this, value);
}

Array::Array(int value) : Array(DType::int32, Dims{}) {
  set_only(*this, std::int32_t{value});
}

Array::Array(std::int64_t value) : Array(DType::int64, Dims{}) {
  set_only(*this, value);
}

Array::Array(long long value) : Array(static_cast<std::int64_t>(value)) {}

Array::Array(unsigned value) : Array(DType::uint32, Dims{}) {
  set_only(*this, std::uint32_t{value});
}

Array::Array(unsigned long value) : Array(DType::uint64, Dims{}) {
  set_only(*this, std::uint64_t{value});
}

Array::Array(unsigned long long value) : Array(static_cast<unsigned long>(value)) {}

Array::Array(bool value) : Array(DType::boolean, Dims{}) {
  set_only(*this, value);
}

Array::Array(std::initializer_list<double> values)
    : Array(of(std::span<const double>(values.begin(), values.size()))) {}

Array::Array(std::initializer_list<std::initializer_list<double>> rows)
    : Array(
          DType::float64,
          Dims{
              static_cast<std::int64_t>(rows.size()),
              rows.size() ? static_cast<std::int64_t>(rows.begin()->size()) : 0}) {
  double* to = data<double>();
  for (const auto& row : rows) {
    if (static_cast<std::int64_t>(row.size()) != dims_[1]) {
      throw Error(
          Error::Kind::shape,
          "the rows of a matrix have " + std::to_string(dims_[1]) + " and " +
              std::to_string(row.size()) + " elements",
          "give every row the same number of elements");
    }
    to = std::copy(row.begin(), row.end(), to);
  }
}

Array Array::full(DType dtype, const Dims& dims, double value) {
  Array a(dtype, dims);
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(static_cast<T*>(a.address()), a.elements(), convert<T>(value));
  });
  return a;
}

Array Array::zeros(DType dtype, const Dims& dims) {
  return full(dtype, dims, 0);
}

Array Array::ones(DType dtype, const Dims& dims) {
  return full(dtype, dims, 1);
}

Array Array::arange(std::int64_t n, DType dtype) {
  Array a(dtype, Dims{std::max<std::int64_t>(n, 0)});
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(a.address());
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = convert<T>(i);
  });
  return a;
}

Array Array::eye(std::int64_t n, DType dtype) {
  Array a = zeros(dtype, Dims{n, n});
  const Array diagonal(
      a.storage(), dtype, Dims{n}, Dims{a.strides()[0] + a.strides()[1]}, a.offset());
  copy_elements(ones(dtype, Dims{n}), diagonal);
  return a;
}

std::int64_t Array::dim(int axis) const {
  return dims_[wrapped_axis(axis, rank())];
}

std::size_t Array::bytes() const {
  return static_cast<std::size_t>(elements()) * static_cast<std::size_t>(size_of(dtype_));
}

bool Array::contiguous() const {
  if (elements() == 0) return true;
  std::int64_t expected = size_of(dtype_);
  for (int i = rank() - 1; i >= 0; --i) {
    if (dims_[i] == 1) continue;
    if (strides_[i] != expected) return false;
    expected *= dims_[i];
  }
  return true;
}

void Array::require(DType wanted) const {
  if (!on_host()) not_on_host(*this, "reading elements");
  if (wanted == dtype_) return;
  throw Error(
      Error::Kind::dtype,
      "an array of dtype " + std::string(name(dtype_)) + " was read as " +
          std::string(name(wanted)),
      "convert it first: value.astype(DType::" + std::string(name(wanted)) + ")");
}

void Array::require_contiguous() const {
  if (contiguous()) return;
  throw Error(
      Error::Kind::shape,
      "a span needs contiguous elements, and this view of shape " + to_text(dims_) + " has gaps",
      "copy it first: value.copy()");
}

double Array::at(std::initializer_list<std::int64_t> index) const {
  if (static_cast<int>(index.size()) != rank()) {
    throw Error(
        Error::Kind::shape,
        "an array of " + std::to_string(rank()) + " dimensions was asked for the element at " +
            std::to_string(index.size()) + " indices");
  }
  Array element = *this;
  for (std::int64_t i : index)
    element = element[i];
  return element.item();
}

double Array::item() const {
  if (elements() != 1) {
    throw Error(
        Error::Kind::shape,
        "item() wants exactly one element, and the shape is " + to_text(dims_),
        "take one by at({…}), or all by to_vector()");
  }
  if (!on_host()) not_on_host(*this, "reading elements");
  sync();
  return visit(dtype_, [this](auto zero) {
    return convert<double>(*static_cast<const decltype(zero)*>(address()));
  });
}

std::vector<double> Array::to_vector() const {
  std::vector<double> values(static_cast<std::size_t>(elements()));
  if (!values.empty()) copy_elements(*this, borrow(values.data(), dims_));
  return values;
}

Array Array::astype(DType dtype) const {
  Array converted(dtype, dims_);
  copy_elements(*this, converted);
  return converted;
}

Array Array::copy() const {
  if (!on_host()) return asarray(*this);
  return astype(dtype_);
}

Array Array::contiguous_on_host() const {
  if (!on_host()) return asarray(*this);
  return contiguous() ? *this : copy();
}

Array Array::transpose() const {
  Dims dims = dims_, strides = strides_;
  std::reverse(dims.begin(), dims.end());
  std::reverse(strides.begin(), strides.end());
  return Array(storage_, dtype_, dims, strides, offset_);
}

Array Array::operator[](std::int64_t index) const {
  if (rank() == 0) {
    throw Error(
        Error::Kind::shape, "a 0-d array can't be indexed", "read its only element by item()");
  }
  Dims dims = dims_, strides = strides_;
  const std::int64_t step = strides[0] * wrapped(index, dims[0], 0);
  dims.erase(0);
  strides.erase(0);
  return Array(storage_, dtype_, dims, strides, offset_ + step);
}

Array Array::slice(int axis, std::int64_t first, std::int64_t last, std::int64_t step) const {
  const int a = wrapped_axis(axis, rank());
  if (step == 0) throw Error(Error::Kind::value, "the step of a slice can't be 0");
  const std::int64_t size = dims_[a], low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto bounded = [&](std::int64_t i) { return std::clamp(i < 0 ? i + size : i, low, high); };
  const std::int64_t from = bounded(first), to = bounded(last);
  const std::int64_t reach = step > 0 ? to - from : from - to, stride = std::abs(step);
  Dims dims = dims_, strides = strides_;
  dims[a] = reach > 0 ? (reach - 1) / stride + 1 : 0;
  strides[a] *= step;
  const std::int64_t start = dims[a] > 0 ? strides_[a] * from : 0;
  return Array(storage_, dtype_, dims, strides, offset_ + start);
}

}  // namespace hypatia
