// Strided copies: axes in the order of the target's memory, merged where they touch, in tiles where
// the source runs the other way; one typed loop a row.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/core/array.h"
#include "engine/core/convert.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

/// `elements` of a row, with byte strides.
struct Row {
  const char* from;
  std::int64_t from_stride;
  char* to;
  std::int64_t to_stride;
  std::int64_t elements;
};

using CopyRow = void (*)(const Row&);

template <class From, class To>
void copy_row(const Row& row) {
  if (row.from_stride == sizeof(From) && row.to_stride == sizeof(To)) {
    if constexpr (std::is_same_v<From, To>) {
      std::memcpy(row.to, row.from, static_cast<std::size_t>(row.elements) * sizeof(To));
    } else {
      const auto* from = reinterpret_cast<const From*>(row.from);
      auto* to = reinterpret_cast<To*>(row.to);
      for (std::int64_t i = 0; i < row.elements; ++i)
        to[i] = convert<To>(from[i]);
    }
    return;
  }
  const char* from = row.from;
  char* to = row.to;
  for (std::int64_t i = 0; i < row.elements; ++i, from += row.from_stride, to += row.to_stride)
    *reinterpret_cast<To*>(to) = convert<To>(*reinterpret_cast<const From*>(from));
}

CopyRow copier(DType from, DType to) {
  return visit(from, [to](auto f) {
    return visit(to, [](auto t) -> CopyRow { return copy_row<decltype(f), decltype(t)>; });
  });
}

/// The axes of a copy, outermost first; strides in bytes.
struct Axes {
  Dims dims, from, to;

  void swap(int a, int b) {
    std::swap(dims[a], dims[b]);
    std::swap(from[a], from[b]);
    std::swap(to[a], to[b]);
  }

  void erase(int axis) {
    dims.erase(axis);
    from.erase(axis);
    to.erase(axis);
  }
};

Axes sorted_by_target(const Array& from, const Array& to) {
  Axes axes{from.dims(), from.strides(), to.strides()};
  for (int i = axes.dims.rank() - 1; i >= 0; --i) {
    if (axes.dims[i] == 1) axes.erase(i);
  }
  for (int i = 1; i < axes.dims.rank(); ++i) {
    for (int j = i; j > 0 && std::abs(axes.to[j - 1]) < std::abs(axes.to[j]); --j)
      axes.swap(j - 1, j);
  }
  return axes;
}

void merge_touching(Axes& axes) {
  for (int i = axes.dims.rank() - 2; i >= 0; --i) {
    const std::int64_t inner = axes.dims[i + 1];
    if (axes.from[i] != axes.from[i + 1] * inner || axes.to[i] != axes.to[i + 1] * inner) continue;
    axes.dims[i + 1] *= axes.dims[i];
    axes.erase(i);
  }
}

/// Brings the axis along which the source runs next to the innermost one; false if it is that one.
bool crosses(Axes& axes) {
  const int inner = axes.dims.rank() - 1;
  int best = inner;
  for (int i = 0; i < inner; ++i) {
    if (std::abs(axes.from[i]) < std::abs(axes.from[best])) best = i;
  }
  if (best == inner) return false;
  for (; best < inner - 1; ++best)
    axes.swap(best, best + 1);
  return true;
}

// 32 rows of 32 doubles of both sides stay in a first-level cache.
constexpr std::int64_t tile = 32;

void copy_tiles(const Axes& axes, const char* from, char* to, CopyRow copy) {
  const int inner = axes.dims.rank() - 1, outer = inner - 1;
  for (std::int64_t i = 0; i < axes.dims[outer]; i += tile) {
    const std::int64_t last = std::min(i + tile, axes.dims[outer]);
    for (std::int64_t j = 0; j < axes.dims[inner]; j += tile) {
      const std::int64_t n = std::min(tile, axes.dims[inner] - j);
      for (std::int64_t row = i; row < last; ++row) {
        copy(
            {from + row * axes.from[outer] + j * axes.from[inner],
             axes.from[inner],
             to + row * axes.to[outer] + j * axes.to[inner],
             axes.to[inner],
             n});
      }
    }
  }
}

void copy_all(Axes axes, const char* from, char* to, CopyRow copy) {
  if (axes.dims.empty()) return copy({from, 0, to, 0, 1});
  merge_touching(axes);
  const bool tiled = axes.dims.rank() > 1 && crosses(axes);
  const int inner = axes.dims.rank() - 1, outer = tiled ? inner - 1 : inner;
  Dims index = Dims::filled(axes.dims.rank(), 0);
  for (int axis = 0; axis >= 0;) {
    if (tiled) {
      copy_tiles(axes, from, to, copy);
    } else {
      copy({from, axes.from[inner], to, axes.to[inner], axes.dims[inner]});
    }
    for (axis = outer - 1; axis >= 0; --axis) {
      from += axes.from[axis];
      to += axes.to[axis];
      if (++index[axis] < axes.dims[axis]) break;
      from -= axes.from[axis] * axes.dims[axis];
      to -= axes.to[axis] * axes.dims[axis];
      index[axis] = 0;
    }
  }
}

void require_host(const Array& array) {
  if (array.on_host()) return;
  throw Error(
      Error::Kind::device,
      "elements are copied between arrays on the host, and one lies on a device",
      "bring it to the host first: asarray(value)");
}

struct Extent {
  std::int64_t first, last;  // bytes from the first element, `last` past the end
};

Extent extent(const Array& array) {
  Extent e{0, size_of(array.dtype())};
  for (int i = 0; i < array.rank(); ++i) {
    const std::int64_t reach = array.strides()[i] * (array.dims()[i] - 1);
    (reach < 0 ? e.first : e.last) += reach;
  }
  return e;
}

bool overlap(const Array& a, const Array& b) {
  const Extent ea = extent(a), eb = extent(b);
  const char* pa = static_cast<const char*>(a.address());
  const char* pb = static_cast<const char*>(b.address());
  return pa + ea.first < pb + eb.last && pb + eb.first < pa + ea.last;
}

bool same_view(const Array& a, const Array& b) {
  return a.address() == b.address() && a.strides() == b.strides() && a.dtype() == b.dtype();
}

}  // namespace

void copy_elements(const Array& from, const Array& to) {
  if (!(from.dims() == to.dims())) {
    throw Error(
        Error::Kind::shape,
        "elements of shape " + to_text(from.dims()) + " can't be copied to shape " +
            to_text(to.dims()));
  }
  require_host(from);
  require_host(to);
  from.sync();
  to.sync();
  if (from.elements() == 0) return;
  if (overlap(from, to)) {
    if (same_view(from, to)) return;
    return copy_elements(from.copy(), to);
  }
  copy_all(
      sorted_by_target(from, to),
      static_cast<const char*>(from.address()),
      static_cast<char*>(to.address()),
      copier(from.dtype(), to.dtype()));
}

Array asarray(const Array& value) {
  if (value.on_host()) return value;
  if (value.elements() == 0) return Array(value.dtype(), value.dims());
  if (value.contiguous()) {
    Array copy(value.dtype(), value.dims());
    value.storage()->read(static_cast<std::size_t>(value.offset()), copy.address(), copy.bytes());
    return copy;
  }
  // The range of bytes that the view touches comes over as it lies; the view is taken again there.
  const Extent e = extent(value);
  const auto bytes = static_cast<std::size_t>(e.last - e.first);
  Ref<Storage> range = allocate_host(bytes);
  value.storage()->read(static_cast<std::size_t>(value.offset() + e.first), range->data(), bytes);
  return Array(range, value.dtype(), value.dims(), value.strides(), -e.first).copy();
}

}  // namespace hypatia
