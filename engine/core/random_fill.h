#pragma once
// An array of independent draws, for the parts of RandomState.

#include "engine/core/array.h"

namespace hypatia {

/// Calls `draw` once an element, in row-major order; its type makes the dtype.
template <class Draw>
Array filled(const Dims& dims, Draw draw) {
  using T = decltype(draw());
  Array a(dtype_of<T>, dims);
  for (T& v : a.span<T>())
    v = draw();
  return a;
}

}  // namespace hypatia
