#pragma once
// What the check asks of the learner's kernels. When the exercise is graded, these functions are in
// the learner's program, and the check gets their results.

#include <cstdint>
#include <hypatia/kernels.h>
#include <string>
#include <tuple>

namespace probe {

/// The learner's functions.
enum Which : int { vectors, matrices };

/// A product, and what its kernel wrote beside the arrays that it was launched on.
struct Multiplied {
  hypatia::Array product;
  std::int64_t launches = 0;  // of kernels
  std::string parameter;      // the first array with something beside it
  std::int64_t elements = 0;  // of that array
  std::int64_t outside = 0;   // elements that were written beside it; 0: none
  std::int64_t first = 0;     // the lowest index among them
};

template <class R>
auto border_fields(R& m)
    -> decltype(std::tie(m.product, m.launches, m.parameter, m.elements, m.outside, m.first)) {
  return std::tie(m.product, m.launches, m.parameter, m.elements, m.outside, m.first);
}

Multiplied multiplied(int which, const hypatia::Array& a, const hypatia::Array& b);

}  // namespace probe
