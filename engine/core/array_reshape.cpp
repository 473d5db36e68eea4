// Reshape: a view where the strides allow it, else a copy.

#include <optional>

#include "engine/core/array.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

/// Replaces one -1 by the size that is left.
Dims complete(Dims dims, const Dims& old) {
  const std::int64_t all = elements(old);
  std::int64_t rest = 1;
  int open = -1;
  bool bad = false;
  for (int i = 0; i < dims.rank(); ++i) {
    if (dims[i] == -1) {
      bad |= open >= 0;
      open = i;
    } else {
      bad |= dims[i] < 0;
      rest *= dims[i];
    }
  }
  if (open >= 0 && rest > 0 && all % rest == 0) dims[open] = all / rest;
  if (bad || elements(dims) != all || (open >= 0 && dims[open] < 0)) {
    throw Error(
        Error::Kind::shape,
        "can't reshape an array of shape " + to_text(old) + " into shape " + to_text(dims),
        "both need the same number of elements; one size may be -1");
  }
  return dims;
}

struct Axis {
  std::int64_t size, stride;
};

/// The old axes without those of size 1, neighbours merged where they touch.
std::vector<Axis> merged(const Dims& dims, const Dims& strides) {
  std::vector<Axis> axes;
  for (int i = 0; i < dims.rank(); ++i) {
    if (dims[i] == 1) continue;
    if (!axes.empty() && axes.back().stride == strides[i] * dims[i]) {
      axes.back() = {axes.back().size * dims[i], strides[i]};
    } else {
      axes.push_back({dims[i], strides[i]});
    }
  }
  return axes;
}

/// Byte strides with which `dims` reads the same elements in the same order, if there are any.
std::optional<Dims> view_strides(const Array& a, const Dims& dims) {
  std::vector<Axis> axes = merged(a.dims(), a.strides());
  Dims strides = Dims::filled(dims.rank(), size_of(a.dtype()));
  for (int i = dims.rank() - 1; i >= 0; --i) {
    if (dims[i] == 1) continue;
    while (!axes.empty() && axes.back().size == 1)
      axes.pop_back();
    if (axes.empty() || axes.back().size % dims[i] != 0) return std::nullopt;
    strides[i] = axes.back().stride;
    axes.back() = {axes.back().size / dims[i], axes.back().stride * dims[i]};
  }
  return strides;
}

}  // namespace

Array Array::reshape(const Dims& wanted) const {
  const Dims dims = complete(wanted, dims_);
  if (elements() == 0) return Array(dtype_, dims);
  if (const auto strides = view_strides(*this, dims))
    return Array(storage_, dtype_, dims, *strides, offset_);
  if (!on_host()) {
    throw Error(
        Error::Kind::device,
        "reshaping this view of a device array from " + to_text(dims_) + " to " + to_text(dims) +
            " needs a copy",
        "copy it to the host first: asarray(value)");
  }
  return copy().reshape(dims);
}

}  // namespace hypatia
