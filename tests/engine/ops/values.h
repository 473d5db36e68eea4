#pragma once
// What tests of ops on shapes and indices share: results as lists, and arrays that count.

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {

using List = std::vector<double>;

/// The value of an expression without inputs.
inline Array value_of(const Variable& v) {
  return function({}, v)().only();
}

inline List list_of(const Variable& v) {
  return asarray(value_of(v)).to_vector();
}

/// 0, 1, 2, … as float32 of these sizes, in a shared variable: it lies on the device there is.
inline Variable counting(const Dims& dims) {
  const Array values = Array::arange(elements(dims), DType::int64).astype(DType::float32);
  return shared(values.reshape(dims), "counting");
}

}  // namespace hypatia
