// Equality of arrays, exact and within tolerances.

#include <cmath>

#include "engine/core/array.h"

namespace hypatia {

namespace {

template <class T>
bool equal(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return a == b;
}

bool close(double a, double b, double rtol, double atol) {
  if (equal(a, b)) return true;
  return std::isfinite(b) && std::abs(a - b) <= atol + rtol * std::abs(b);
}

}  // namespace

bool same_elements(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || !(a.dims() == b.dims())) return false;
  const Array left = a.contiguous_on_host(), right = b.contiguous_on_host();
  return visit(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<T> x = left.span<T>(), y = right.span<T>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!equal(x[i], y[i])) return false;
    }
    return true;
  });
}

bool all_close(const Array& a, const Array& b, double rtol, double atol) {
  if (!(a.dims() == b.dims())) return false;
  const bool single = a.dtype() == DType::float32 || b.dtype() == DType::float32;
  const double relative = rtol < 0 ? 1e-5 : rtol;
  const double absolute = atol >= 0 ? atol : single ? 1e-5 : 1e-8;
  const std::vector<double> x = asarray(a).to_vector(), y = asarray(b).to_vector();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!close(x[i], y[i], relative, absolute)) return false;
  }
  return true;
}

}  // namespace hypatia
