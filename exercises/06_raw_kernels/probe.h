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
  int took_both = 0;          // 1: a launch could read both factors
  int took_product = 0;       // 1: a launch was given the finished product
  int made_it = 0;            // 1: a launch wrote what was returned
  std::string parameter;      // the first array with something beside it
  std::int64_t elements = 0;  // of that array
  std::int64_t outside = 0;   // elements that were written beside it; 0: none
  std::int64_t first = 0;     // the lowest index among them
};

template <class R>
auto border_fields(R& m) -> decltype(std::tie(
    m.product,
    m.launches,
    m.took_both,
    m.took_product,
    m.made_it,
    m.parameter,
    m.elements,
    m.outside,
    m.first)) {
  return std::tie(
      m.product,
      m.launches,
      m.took_both,
      m.took_product,
      m.made_it,
      m.parameter,
      m.elements,
      m.outside,
      m.first);
}

/// What provoked_error() says, and how many launches the engine refused meanwhile.
struct Provoked {
  std::string said;
  std::int64_t refused = 0;
};

template <class P>
auto border_fields(P& p) -> decltype(std::tie(p.said, p.refused)) {
  return std::tie(p.said, p.refused);
}

Provoked provoked();

Multiplied multiplied(int which, const hypatia::Array& a, const hypatia::Array& b);

}  // namespace probe
